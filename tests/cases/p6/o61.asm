.p2align 4
again: lodsd
neg eax
stosd
loop again
