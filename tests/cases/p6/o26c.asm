rdmsr
