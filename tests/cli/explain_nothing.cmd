softpmu explain
