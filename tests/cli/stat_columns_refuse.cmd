softpmu stat --cpu pentium,pentium3 --per-thread -- true
softpmu stat --cpu pentium, -- true
softpmu stat --cpu pentium,pentiun-mmx -- true
softpmu stat --cpu pentium,pentium3 -e '{instructions,returns}' -- true
softpmu stat --cpu pentium,pentium3 -e no_such_event -- true
softpmu stat --cpu pentium,pentium3 -M no_such_metric -- true
softpmu stat --cpu pentium,pentium3 -g no_such_group -- true
softpmu stat --cpu pentium,pentium-mmx,pentium3,pentium2,pentiumpro -- true
softpmu stat --cpu pentium --counters 2 --per-process -e branches,data_read,data_write -- true
