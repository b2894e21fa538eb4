softpmu stat "ls -l"
softpmu stat -- "/bin/ls -l"
# how to build for a Pentium, where most of the program is 64-bit code
softpmu stat --env clean --cpu p5 -e instructions -- expr 1 + 1 2>&1 >/dev/null | grep -o "a program that a Pentium.*"
softpmu stat --env clean --cpu p55c -e instructions -- expr 1 + 1 2>&1 >/dev/null | grep -o "gcc -m32.*"
softpmu stat --env clean --cpu p6 -e instructions -- expr 1 + 1 2>&1 >/dev/null | grep -c "gcc -m32"
# --per-region of a program that marks none
softpmu stat --env clean --per-region -e instructions -- true 2>&1 | grep 'marked no region'
