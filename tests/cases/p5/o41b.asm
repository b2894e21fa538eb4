shld ebx,eax,cl
xor edx,edx
xor esi,esi
