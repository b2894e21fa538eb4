rdtsc
