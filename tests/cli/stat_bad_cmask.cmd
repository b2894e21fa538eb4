softpmu stat -e inst_retired:c=300 -- true
