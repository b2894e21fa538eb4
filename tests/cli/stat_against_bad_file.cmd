# The old report is a file of anybody.
softpmu stat --against nowhere.json -- true
bad() { printf '%s' "$1" >bad.json; softpmu stat -e instructions --env clean --against bad.json -- true 2>&1 | grep -o 'softpmu: .*\|against.*\| # .*' |
	sed 's/[0-9]* more/N more/'; }
bad ''
bad 'no json'
bad '{"schema": 1}'
bad '{"schema": 1, "events": []}'
bad '{"schema": 1, "events": [{"name": "instructions", "value": 1}]} {'
bad '{"event": "instructions", "counter-value": "many"}'
bad '{"schema": 1, "events": [{"name": "instructions", "value": -5}], "inputs": []}'
bad '{"schema": 1, "events": [3, {"name": 7}, {"name": "Instructions", "value": "1"}], "inputs": {"argv": 3, "files": [1, {}, {"name": 5}],
"environment": [], "seed": "x", "time_looks": {}}}'
bad '{"schema": 1, "events": [{"name": "instructions"}], "inputs": {"version": "a\u001b[31mb"}}'
head -c 70000000 /dev/zero | tr '\0' '[' >long.json
softpmu stat --against long.json -- true
head -c 60000000 long.json >deep.json
softpmu stat --against deep.json -- true 2>&1 | cut -c1-60
softpmu stat --against /dev/zero -- true
softpmu stat --against . -- true 2>&1 | cut -c1-60
printf '{"schema": 1, "events": [{"name": "no_such_event", "value": 1}]}' >old.json
softpmu stat --against old.json -- true
printf '{"schema": 1, "events": [{"name": "instructions", "value": 1}]}' >old.json
softpmu stat --against old.json -x, -- true
softpmu stat --against old.json -j -- true
softpmu stat --against old.json --cpu pentium,pentium3 -- true
