softpmu stat --cpu pentiumpro -e mmx_assist -- true; softpmu stat -e pipeline_agi_stalls -- true
