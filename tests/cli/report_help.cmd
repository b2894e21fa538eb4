softpmu report --help
