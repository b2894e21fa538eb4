# The columns of several processors show the parts of a stack as shares that sum to 100.0; -v shows their numbers.
softpmu stat --env clean -M cpi-stack --cpu pentium2,pentium3 -- /bin/true 2>&1 | awk '$2 ~ /%$/ { a += $1; b += $2; n++ }
	END { printf "%d rows: %.1f %.1f\n", n, a, b }'
softpmu stat --env clean -v -M cpi-stack --cpu pentium2,pentium3 -- /bin/true 2>&1 | grep -c '^ *[0-9.]* *[0-9.]*% '
