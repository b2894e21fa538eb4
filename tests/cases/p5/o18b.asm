bits 16
nop
push ax
push bx
push cx
push dx
call callee
.skip 16,0x90
.balign 32
callee:
