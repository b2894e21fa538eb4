softpmu list --cpu pentium-mmx | sed -n "s/^  \([A-Z].* OR [a-z].*[a-z0-9]\) *\[0x.*/\1/p"
softpmu stat --cpu pentium -x, -q -e ins-stall-agi,ins-stall-data:u true 2>&1 | cut -d, -f3
