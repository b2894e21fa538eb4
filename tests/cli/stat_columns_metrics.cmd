# a metric of some columns only, and a family of metrics
softpmu stat --cpu pentiumpro,pentium3 -M sse_share -- true 2>&1 | awk '/sse_share/ { print ($1 == "-"), ($2 > 0) }'
softpmu stat --cpu pentium,pentium2,pentium3 -x, -M cpi-stack -e cycles -- true 2>&1 |
	awk -F, '/RETIREMENT_SLOTS/ { sum[$1] += $2 } $4 == "cycles" { cycles[$1] = $2 }
		END { for (cpu in sum) print cpu, sum[cpu] / cycles[cpu] }' | sort
softpmu stat --cpu pentiumpro,pentium3 -M mmx_share -- true
