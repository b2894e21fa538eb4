softpmu stat -e nosuch -- true
softpmu stat -e zzzzqqqq -- true
softpmu stat -e agi_stall -- true
softpmu stat --cpu pentium -e agi_stall -- true
softpmu stat -e dcu_lines -- true
softpmu stat -e mu -- true
softpmu stat -M nosuch -- true
softpmu stat -g nosuch -- true
softpmu stat --cpu nosuch -- true
softpmu stat --cpu copper -- true
softpmu stat --nosuch -- true
softpmu explain nosuch
softpmu list nosuch
softpmu nosuch
