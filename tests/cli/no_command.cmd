softpmu
