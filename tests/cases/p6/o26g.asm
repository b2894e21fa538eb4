mov eax,cr4
