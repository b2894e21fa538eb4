for c in 48 48h 0x48 48H c0; do softpmu explain $c | head -1; done
softpmu explain --cpu p5 16 16h 0x16 | grep ^[A-Z]
