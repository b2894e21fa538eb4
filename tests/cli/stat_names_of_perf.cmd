p="stat -x, -q -e LLC-loads,LLC-load-misses,dTLB-load-misses,L1-dcache-stores,branch-loads,iTLB-loads"
for cpu in p6 p5; do softpmu ${p/stat/stat --cpu $cpu} true 2>&1 | cut -d, -f1,3 | sed 's/^[0-9][0-9]*/NUMBER/'; done
# software events are this machine's, whatever is beside them; the digest does not know them
softpmu stat -x, -q -e task-clock,page-faults,context-switches,duration_time,user_time,migrations,inst_retired:u true 2>&1 |
	cut -d, -f1-3 | sed 's/^[0-9.][0-9.]*/NUMBER/'
softpmu stat -e task-clock,L1-dcache-stores true 2>&1 | grep "Note: task"
softpmu stat --counters 2 -x, -e '{inst_retired,task-clock,uops_retired}' true 2>&1 | cut -d, -f2,3
softpmu run -e task-clock true
softpmu run -e L1-dcache-stores true
