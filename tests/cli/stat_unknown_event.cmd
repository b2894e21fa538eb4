softpmu stat -e inst_retird -- true
