softpmu list | sed "/^perf/,\$d" | grep "^  [A-Z]" | awk "{print \$1}" | sort
