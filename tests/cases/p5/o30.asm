fld qword [one]
fstp qword [two]
