# with more events than columns clocks come first where they were counted: in record's table, report and annotate, and rows are sorted by them; annotate names the events without a column.
# What --json and -x print stays in the order of before, and so do events that were asked for.
printf '.globl _start, slow, fast\n_start: mov $b,%%esi; mov $100,%%ecx; call slow; mov $300,%%ecx; call fast; mov $1,%%eax; xor %%ebx,%%ebx; int $0x80\n.type slow,@function\nslow: mov %%eax,(%%esi); dec %%ecx; jnz slow; ret\n.size slow,.-slow\n.type fast,@function\nfast: mov 64(%%esi),%%eax; dec %%ecx; jnz fast; ret\n.size fast,.-fast\n.bss\n.balign 4096\nb: .skip 4096\n' >p.s
as --32 -o p.o p.s && ld -m elf_i386 -o p p.o
softpmu record --cpu pentium --all -o all.rec ./p 2>&1 | grep -A2 TIME_STAMP_COUNTER.*function
softpmu report all.rec | sed -n 3,5p
softpmu report all.rec --by address | sed -n 3,4p | cut -c1-30
softpmu annotate slow all.rec | grep -o -e '^ *TIME.*' -e 'Note: [0-9]* more events are recorded'
softpmu report all.rec -x, | sed -n 2p | cut -d, -f1
softpmu report all.rec --json | jq -r '.rows[0].function'
softpmu record --cpu pentium -e instructions,cycles -o few.rec ./p 2>/dev/null
softpmu report few.rec | sed -n 3,4p
softpmu annotate slow few.rec | grep -c Note
softpmu record --cpu pentium -o none.rec ./p 2>&1 | grep Note
