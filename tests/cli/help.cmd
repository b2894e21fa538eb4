softpmu --help
