# a code alone means the event as its name does, whatever mask 0 is; with a mask it is that
for w in 0xb2 B2H r02b2 0x28; do softpmu explain --cpu pentium2 $w | grep -E '^[A-Z]|register'; done
softpmu explain 0xb0 | head -n 1
softpmu explain r00b2
