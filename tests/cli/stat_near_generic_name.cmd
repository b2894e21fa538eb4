softpmu stat -e cyclez -- true
