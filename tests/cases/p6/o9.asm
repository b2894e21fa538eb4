.p2align 4
again: movaps xmm0,[ecx+esi]
add ecx,16
mulps xmm0,xmm7
cmp ecx,0
addps xmm0,[ecx+edi-16]
movaps [ecx+edi-16],xmm0
jng again
