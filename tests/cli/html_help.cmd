softpmu html --help
