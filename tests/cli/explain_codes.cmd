for c in 48 48h 0x48 48H c0; do softpmu explain $c | head -1; done
softpmu explain --cpu p5 16 16h 0x16 | grep ^[A-Z]
for c in 48 48h 0x48 48H c0; do softpmu list $c | head -1; done
for c in 48 48h 0x48 48H c0; do softpmu stat --env clean -x, -q -e $c,dcu_miss_outstanding,inst_retired true 2>&1 |
	awk -F, '{ n[NR] = $1 } END { print n[1] == n[2] ? "as DCU_MISS_OUTSTANDING" : n[1] == n[3] ? "as INST_RETIRED" : "as nothing" }'; done
