again: sahf
jl past
past: dec ecx
jnz again
