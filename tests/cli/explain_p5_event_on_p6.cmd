softpmu explain pipeline_agi_stalls | head -n 3
