fld dword [first]
fmul dword [second]
fld dword [first+4]
fmul dword [second+4]
fld dword [first+8]
fmul dword [second+8]
faddp st1,st0
faddp st1,st0
fstp dword [result]
