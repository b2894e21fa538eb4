fmul st0,st1
fst dword [result]
