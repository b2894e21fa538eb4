for w in agi LLC "dTLB-stores" page-faults; do softpmu explain $w; done
softpmu explain --cpu pentium-mmx 2b | grep -A1 ^[A-Z]
softpmu explain pairing | head -2
