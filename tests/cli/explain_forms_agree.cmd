# name, alias and code explain the same event
for e in INST_RETIRED inst_retired instructions 0xc0 r00c0; do
	softpmu explain $e | head -n 1
done
softpmu explain 0x2b --cpu pentium-mmx | grep '^MMX'
