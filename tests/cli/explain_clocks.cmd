# core clock, bus clock and their ratio
for c in pentium pentium-60 pentiumpro pentium2-klamath pentium3; do softpmu explain $c | grep clocks; done
