# One of a thing is no plural: a program that makes one system call before it exits, and whose trace and journal say so.
printf '.globl _start\n_start: mov $39, %%eax\nsyscall\nmov $60, %%eax\nxor %%edi, %%edi\nsyscall\n' | as --64 -o one.o - && ld -o one one.o
for k in 1 2; do softpmu stat -v --journal journal -e instructions -- ./one 2>&1 | grep -oE '[0-9]+ blocks? with.*translated|[0-9]+ system calls?, [0-9]+ signals?|[a-z]+ [a-z]+ [a-z0-9]+: [0-9]+ system calls? of|the one .*'; done
softpmu trace -q -o one.spt -- ./one
softpmu trace --info one.spt | grep -o '^run: .*clocks'
softpmu check -- ./one 2>&1 | grep relation
