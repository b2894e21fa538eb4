shld ebx,eax,cl
xor edx,edx
xor esi,esi
xor edi,edi
xor ebp,ebp
