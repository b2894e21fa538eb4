again: lodsd
neg eax
stosd
loop again
