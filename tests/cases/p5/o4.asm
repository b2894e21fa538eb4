mov eax,[cell]
push esi
push eax
push edi
push ebx
call callee
.skip 32,0x90
callee:
