jmp first
.p2align 4
first: nop
nop
nop
nop
nop
nop
nop
jmp start
.p2align 4
start: nop
out: nop
