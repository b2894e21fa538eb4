for w in papi perf; do softpmu explain $w | head -4; done
