add ebx,[two]
add [one],eax
