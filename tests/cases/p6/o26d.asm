mov ecx,0x186
rdmsr
