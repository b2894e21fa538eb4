mov cr4,eax
