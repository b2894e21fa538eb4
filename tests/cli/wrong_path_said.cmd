softpmu stat --wrong-path off --cpu pentium3,pentium2 -e inst_retired -- true 2>&1 | grep wrong-path
softpmu stat --wrong-path off --cpu pentium3,pentium2 -q -e inst_retired -- true 2>&1 | grep wrong-path
softpmu stat --wrong-path loads --cpu pentium3,pentium2 --json -e inst_retired -- true 2>&1 | grep wrong_path
softpmu stat --wrong-path decode --cpu pentium3,pentium2 -e inst_retired -- true 2>&1 | grep -c wrong-path
softpmu check --wrong-path off -- true 2>&1 | grep wrong-path
softpmu check -- true 2>&1 | grep -c wrong-path
