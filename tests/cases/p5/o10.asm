add eax,[one]
add ebx,[two]
