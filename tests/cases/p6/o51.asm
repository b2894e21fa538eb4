.p2align 4
again: mov dword ptr [esi+edx*4],0
inc edx
cmp edx,40
jl again
