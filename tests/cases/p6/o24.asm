again: fcom st(1)
fnstsw ax
sahf
ja past
past: dec ecx
jnz again
