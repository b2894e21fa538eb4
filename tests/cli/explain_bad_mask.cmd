softpmu explain l2_ld:x
