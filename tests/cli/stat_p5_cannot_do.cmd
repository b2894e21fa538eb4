softpmu stat --cpu pentium --l2 256K:4:32 -- true
softpmu stat --cpu pentium --l1d 9K:2:32 -- true
