# perf's names that stand for different things in two columns are told, once
softpmu stat --cpu pentium,pentium3 -e L1-dcache-load-misses,instructions true 2>&1 | grep ' is '
softpmu stat --cpu pentium2,pentium,pentium3 -e instructions,cycles,branch-misses,dTLB-loads true 2>&1 | grep ' is '
# the same on both, or nothing on one
softpmu stat --cpu pentium2,pentium3 -e L1-dcache-load-misses true 2>&1 | grep -c ' is '
softpmu stat --cpu pentium,pentium3 -e instructions,branches,LLC-loads true 2>&1 | grep -c ' is '
softpmu stat --cpu pentium,pentium3 -q -e L1-dcache-load-misses true 2>&1 | grep -c ' is '
