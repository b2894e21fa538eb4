softpmu explain --cpu toy memory_accesses
