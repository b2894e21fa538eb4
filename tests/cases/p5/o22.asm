cld
rep movsd
