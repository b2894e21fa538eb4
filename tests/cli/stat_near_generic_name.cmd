softpmu stat -e cyclez -- true
softpmu stat -e LLC-misses -- true
