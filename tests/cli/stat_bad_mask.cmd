softpmu stat -e l2_ld:q -- true; softpmu stat -e inst_retired:0x01 -- true
