softpmu list --cpu toy --json
