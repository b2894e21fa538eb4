softpmu check
