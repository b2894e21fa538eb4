mov eax,[cell]
push esi
push eax
push edi
push ebx
call callee
.skip 16,0x90
.balign 32
callee:
