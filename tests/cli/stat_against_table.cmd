# The old count and the difference beside the new one. What is counted is what the old report has, unless events are asked for.
new() { softpmu stat --env clean "$@" -- true 2>&1 | grep ' # ' | sed 's/[0-9][0-9,]\{4,\}/N/g; s/#  .*/METRIC/'; }
softpmu stat --env clean -e instructions,branches --json -o base.json -- true
new --against base.json
new --against base.json -e branches,br_taken_retired
sed 's/"value": [0-9]*/"value": 1/' base.json >one.json
new --against one.json
sed 's/"value": \([0-9]*\)/"value": \10/' base.json >ten.json
new --against ten.json
echo lines of perf
softpmu stat --env clean -e instructions,branches -j -o lines.json -- true
new --against lines.json
softpmu stat --env clean --against lines.json -- true 2>&1 | grep -o 'against.*'
echo json
softpmu stat --env clean --json --against ten.json -- true 2>&1 | grep -A9 '"against"\|"was"\|change_percent' | sed 's/"[0-9a-f]\{16\}"/HEX/; s/[0-9]\{4,\}/N/; s/[0-9]*\.N/N/'
echo at a terminal
TERM=dumb script -qc "stty cols 60; softpmu stat --env clean --against one.json -- true" /dev/null </dev/null | tr -d '\r' |
	sed 's/[0-9][0-9,]\{4,\}/N/g; s/[0-9.]*%/N %/' | grep -B1 -A1 was
