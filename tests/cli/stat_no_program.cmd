softpmu stat
