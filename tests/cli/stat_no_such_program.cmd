softpmu stat -- no-such-program-here
