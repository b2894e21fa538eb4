.p2align 4
again: imul ecx,[esi+edx*4]
inc edx
cmp edx,40
jl again
