softpmu stat --cpu pentium3 --breakpoint 0:0x401000 -e instructions -- true; softpmu stat --cpu pentium --defer 0x1000+32 -e INSTRUCTIONS_EXECUTED -- true
