fdiv st0,st1
add eax,ecx
inc edx
