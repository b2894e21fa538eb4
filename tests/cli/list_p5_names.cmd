softpmu list --cpu pentium-mmx | grep "^  [A-Z]" | awk "{print \$1}" | sort
