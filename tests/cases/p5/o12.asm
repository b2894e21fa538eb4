add [one],eax
add ebx,[two]
