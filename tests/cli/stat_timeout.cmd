# a program that does not end: its counts, and the status of one that SIGTERM ended
softpmu stat --timeout 0min -- true
softpmu stat --timeout 500ms -x, -e instructions -o out -- sh -c 'while :; do :; done'
echo "status $?"
awk -F, '{ print ($1 > 10000), $3 }' out
