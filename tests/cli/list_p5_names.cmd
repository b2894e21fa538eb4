softpmu list --cpu pentium-mmx | sed "/^perf/,\$d" | grep "^  [A-Z]" | awk "{print \$1}" | sort
