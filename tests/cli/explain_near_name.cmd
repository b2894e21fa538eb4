softpmu explain inst_retird
