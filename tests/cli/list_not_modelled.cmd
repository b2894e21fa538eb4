softpmu list | grep "not modelled" | awk "{print \$1}" | sort
