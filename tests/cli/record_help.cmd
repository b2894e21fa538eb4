softpmu record --help
