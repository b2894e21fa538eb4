#!/bin/bash
# compare.sh -- under --replace lru --phys identity --walks off, misses against Cachegrind's on a static
# program: level 1 equal, last level within 0.1 %. Prints one line per comparison, "ok" or "FAILED" first.
# Environment: SOFTPMU, CC. Says why and succeeds when valgrind is not installed.
set -u
cd "$(dirname "$0")/../../.." || exit 1
SOFTPMU=${SOFTPMU:-$PWD/build/release/softpmu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v valgrind >/dev/null; then
	echo "skipped: valgrind is not installed"
	exit 0
fi
${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Itests/model -DN=1 -o "$work/exe" \
	tests/model/cachegrind/random.S || exit 1
for geometry in 16384:4:32:524288:4 8192:2:32:262144:4 32768:8:64:1048576:16; do
	IFS=: read -r l1 ways line l2 l2ways <<<"$geometry"
	valgrind --tool=cachegrind --cache-sim=yes --I1="$l1,$ways,$line" --D1="$l1,$ways,$line" \
		--LL="$l2,$l2ways,$line" --cachegrind-out-file=/dev/null "$work/exe" >"$work/cg" 2>&1
	"$SOFTPMU" stat -x, --replace lru --phys identity --walks off --l1i "$l1:$ways:$line" --l1d "$l1:$ways:$line" \
		--l2 "$l2:$l2ways:$line" -e ifu_ifetch_miss -e dcu_lines_in -e l2_rqsts:i -- "$work/exe" >"$work/sp" 2>&1
	for pair in "I1:ifu_ifetch_miss:0" "D1:dcu_lines_in:0" "LL:l2_rqsts:i:1"; do
		name=${pair%%:*} tolerance=${pair##*:} event=${pair#*:} event=${event%:*}
		theirs=$(sed -n "s/.*[= ]$name *misses: *\([0-9,]*\).*/\1/p" "$work/cg" | tr -d ,)
		ours=$(sed -n "s/^\([0-9]*\),,$event,.*/\1/p" "$work/sp")
		if [ -n "$ours" ] && [ -n "$theirs" ] &&
				[ $(((ours > theirs ? ours - theirs : theirs - ours) * 1000)) -le $((tolerance * theirs)) ]; then
			echo "ok $geometry $name $ours"
		else
			echo "FAILED $geometry $name: ${ours:-nothing} here, ${theirs:-nothing} by Cachegrind"
		fi
	done
done
