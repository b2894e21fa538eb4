softpmu annotate; softpmu annotate f /nothing; softpmu annotate a b c; softpmu annotate --help
