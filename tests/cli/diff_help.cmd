softpmu diff --help; softpmu export --help
