again: fcom st(1)
fnstsw ax
sahf
fcmovb st,st(1)
dec ecx
jnz again
