again: rol ebx,8
jc past
past: dec ecx
jnz again
