softpmu list pairing | head -12
softpmu list c0h
softpmu list --json pairing
