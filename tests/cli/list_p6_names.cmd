softpmu list | grep "^  [A-Z]" | awk "{print \$1}" | sort
