# -o behind the program is the program's: a note where it made no such file and no -- says so
softpmu trace true -o x 2>&1 | tail -n 1
softpmu record true -o x 2>&1 | tail -n 1
softpmu trace -- true -o x 2>&1 | grep -c went
softpmu trace sh -c 'touch "$2"' sh -o x 2>&1 | grep -c went
rm x
softpmu trace -o t true -o x 2>&1 | grep -c went
softpmu trace true -o 2>&1 | grep -c went
# -q says nothing
softpmu record -q true
softpmu trace -q true -o x
ls
