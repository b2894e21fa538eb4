again: fcomi st,st(1)
ja past
past: dec ecx
jnz again
