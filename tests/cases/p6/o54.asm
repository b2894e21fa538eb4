cpuid
