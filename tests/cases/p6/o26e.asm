wrmsr
