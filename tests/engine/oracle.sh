#!/bin/bash
# oracle.sh -- instructions, branches and taken branches of static programs: equal to stepping them.
. "$(dirname "$0")/lib.sh"

tool oracle || exit 1
bare "$work/prog" "$src/static_prog.c" || exit 1
works="sort interp strings crc collatz calls x87 sse"
factor=1
[ "$CHECK_LEVEL" = all ] && factor=4
declare -A n=([sort]=60 [interp]=700 [strings]=25 [crc]=400 [collatz]=20 [calls]=10 [x87]=300 [sse]=300)

for w in $works; do
	args="$w $((${n[$w]} * factor))"
	[ $w = calls ] && args="$w $((${n[$w]} + factor))"
	"$work/oracle" -o "$work/steps" "$work/prog" $args >"$work/native" || { bad "$w: oracle"; continue; }
	"$SOFTPMU" stat -x, -e instructions,br_inst_retired,br_taken_retired -o "$work/counts" -- \
		"$work/prog" $args >"$work/out" 2>"$work/err"
	rc=$?
	if [ $rc != 0 ] || ! cmp -s "$work/native" "$work/out"; then
		bad "$w: status $rc, output $(head -c 80 "$work/out") $(head -n 1 "$work/err")"
		continue
	fi
	for pair in instructions:instructions branches:br_inst_retired taken:br_taken_retired; do
		want=$(awk -v k="${pair%:*}" '$1 == k { print $2 }' "$work/steps")
		got=$(count_of "$work/counts" "${pair#*:}")
		[ "$want" = "$got" ] && ok || bad "$w ${pair#*:}: counted $got, stepping gives $want"
	done
done
finish
