softpmu stat --cpu pentium,pentium3 --all -- true
softpmu stat --cpu pentium, -- true
softpmu stat --cpu pentium,pentiun-mmx -- true
softpmu stat --cpu pentium,pentium3 -e '{instructions,branches}' -- true
softpmu stat --cpu pentium,pentium3 -e no_such_event -- true
softpmu stat --cpu pentium,pentium-mmx,pentium3,pentium2,pentiumpro -- true
softpmu stat --cpu pentium,pentium3 -x, -e instructions -- true
