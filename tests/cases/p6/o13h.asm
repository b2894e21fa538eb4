again: sahf
js past
past: dec ecx
jnz again
