softpmu list --cpu toy -v
