softpmu list >/dev/full
