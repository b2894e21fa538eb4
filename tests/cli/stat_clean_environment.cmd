A=1 B=2 softpmu stat -q -e instructions:k --env clean,A,C=3 -o out -- env
