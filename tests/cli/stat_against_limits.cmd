# Limits: 3 when a count rose by more (--both-ways: or fell), 2 when the two cannot be compared, else the program's status.
softpmu stat --env clean -e INST_RETIRED,branches,uops_retired:k,task-clock --json -o base.json -- true
sed 's/"value": \([0-9]*\)$/"value": \10/' base.json >ten.json
sed 's/"value": [0-9]*$/"value": 1/' base.json >one.json
try() { softpmu stat --env clean -o table "$@" 2>&1 | sed 's/\([ +-]\)[0-9][0-9,.]\{4,\}/\1N/g'; echo "status ${PIPESTATUS[0]}: $*"; }
echo kept
try --against base.json --limit @all=0% --both-ways -- true
try --against one.json --limit instructions=+1000000000 -- true
try --against ten.json --limit INST_RETIRED=0% -- true
echo broken
try --against one.json --limit instructions=+1000 -- true
try --against one.json --limit @all=5% -- true
try --against ten.json --limit r00c4=1% --both-ways -- true
softpmu stat --env clean --json -o now.json --against one.json --limit branches=1% -- true 2>/dev/null
jq -c '.events[] | select(.broken) | [.name, .broken]' now.json
echo not comparable
try --against base.json --limit l2_rqsts=1% -e l2_rqsts -- true
try --against base.json --limit @all=1% -e instructions,l2_rqsts -- true
try --against one.json --limit @all=1% --cpu pentium2 -- true
try --against one.json --limit @all=1% --l1d 32K:8:64 -- true
softpmu stat --against one.json --limit @all=1% -o table -- true 2>&1 | sed 's/([0-9]* v.*/(N)/'
try --against base.json --limit @all=1% -e task-clock -- true
echo refused
try --against base.json --limit l2_rqsts=1% -- true
try --against base.json --limit nonsense -- true
try --limit @all=1% -- true
try --against base.json --both-ways -- true
try --against base.json -I 1000insn -- true
echo the program failed
try --against one.json --limit @all=1% -- false
