softpmu stat --cpu pentium-mmx --counters 2 -e emms_instructions_executed,data_read,returns,0x2d:c1,cycles -- true 2>&1 | grep 'at a time'
softpmu stat --cpu pentium-mmx --counters 2 -e '{returns,emms_instructions_executed}' -- true
softpmu stat --cpu pentium -e 0x21 -- true
softpmu stat --cpu pentium --raw -x, -e 0x21 -- true 2>&1 | cut -d, -f1,3
