# A run with clocks of more than three seconds of processor time says with -v what would have been cheaper; a short one, one
# without clocks and one without -v in a pipe do not. Each is ended when softpmu has used a little more than three seconds.
used() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null || echo 999999; }
long() {
	softpmu stat --env clean "$@" -- sh -c 'while :; do :; done' 2>told & run=$!
	while [ "$(used $run)" -lt 330 ]; do sleep 0.1; done
	kill -INT $run
	wait $run
	grep -o 'clocks sampled takes about\|[a-z]* needs clocks.*\|[a-z]* and [0-9]* more.*' told || echo nothing
}
long -v -e cycles,instructions
long -v --cpu pentium -e cycles,instructions
long -v --cpu pentium -e cycles,pipeline_agi_stalls,instructions 2>/dev/null
long -e cycles
softpmu stat --env clean -v -e cycles -- true 2>&1 | grep -c 'needs clocks'
