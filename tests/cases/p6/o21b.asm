again: imul eax,ebp
imul ebx,ebp
imul edx,ebp
imul edi,ebp
dec ecx
jnz again
