mov eax,edx
div bl
