again: fcomi st,st(1)
fcmovb st,st(1)
dec ecx
jnz again
