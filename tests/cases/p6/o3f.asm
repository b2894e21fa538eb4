jmp before
.p2align 4
before: nop
nop
nop
nop
jmp first
.p2align 5
.skip 8
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
