softpmu list evnts
