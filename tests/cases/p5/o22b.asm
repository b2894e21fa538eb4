cld
test ebx,1
test ebx,1
test ebx,1
rep movsd
