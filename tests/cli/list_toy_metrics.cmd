softpmu list metrics --cpu toy; softpmu list relations --cpu toy; softpmu list groups --cpu toy -v
