# the slots of all reasons are three times the clocks, whatever runs
for cpu in pentiumpro pentium3-coppermine; do
	softpmu stat --cpu $cpu -x, -M cpi-stack -e cycles -e retirement_slots -- sh -c 'cat /dev/null; echo a | sort' 2>&1 >/dev/null |
		awk -F, '$3 == "cycles" { cycles = $1 } $3 == "retirement_slots" { all = $1 } /:/ { sum += $1; n++ }
			END { print n, (cycles > 100000), sum == all, sum == 3 * cycles }'
done
softpmu stat --cpu pentium -M cpi-stack -- true
