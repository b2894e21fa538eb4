add [one],eax
add [two],ebx
