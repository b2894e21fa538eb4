softpmu stat --cpu pentium -- true
