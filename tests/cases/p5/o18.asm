bits 16
push ax
push bx
push cx
push dx
call callee
.skip 32,0x90
callee:
