fadd st0,st1
fxch st1
mov eax,1
inc edx
