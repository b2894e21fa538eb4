softpmu help doctor
