again: fdiv st,st(1)
dec ecx
jnz again
