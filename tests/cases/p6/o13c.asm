again: inc ebp
pushfd
lea esp,[esp+4]
jmp l0
l0: jmp l1
l1: jmp l2
l2: jmp l3
l3: jmp l4
l4: jmp l5
l5: jmp l6
l6: jmp l7
l7: jmp l8
l8: jmp l9
l9: jmp l10
l10: jmp l11
l11: dec ecx
jnz again
