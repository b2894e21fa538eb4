#!/bin/bash
# study.sh OUT.tsv -- what the parts of a study cost on this machine, in seconds of processor time, for bench/study.awk and
# docs/SCALE.md: a run for one machine, a recording, a replay for one machine, a replay of sixteen caches in one pass, a start.
set -eu
cd "$(dirname "$0")/.."
S=$(realpath "${SOFTPMU:-build/release/softpmu}")
out=$(realpath -m "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
seq 20000 >in.txt
TIMEFORMAT='%U %S'
# cost COMMAND...: its user and system time, the smaller one of two runs
cost() {
	for _ in 1 2; do { time "$@" >/dev/null 2>&1 <in.txt; } 2>&1; done |
		awk '{ t = $1 + $2; if (NR == 1 || t < least) least = t } END { printf "%.3f", least }'
}
sizes=4K:4,4K:2,8K:4,8K:2,16K:4,16K:2,16K:8,16K:1,32K:4,32K:2,32K:8,32K:1,64K:4,64K:2,64K:8,64K:1
printf '# program\tMinsn\tlive2\tlive3\trecord\tMB\treplay2\treplay3\tgrid16\n' >"$out"
while read -r name command; do
	# shellcheck disable=SC2086 # words
	set -- "$S" stat --env clean --isa v2 -x, -o c.csv -e
	"$@" instructions $command >/dev/null 2>&1 <in.txt
	minsn=$(awk -F, '{ printf "%.1f", $1 / 1e6 }' c.csv)
	live2=$(cost "$@" dcu_lines_in $command)
	live3=$(cost "$@" cycles $command)
	record=$(cost "$S" trace -q --env clean --isa v2 -o t.spt -- $command)
	bytes=$(stat -c %s t.spt | awk '{ printf "%.2f", $1 / 1e6 }')
	replay="$S replay -x, -o c.csv"
	replay2=$(cost $replay -e dcu_lines_in t.spt)
	replay3=$(cost $replay -e cycles t.spt)
	grid16=$(cost $replay -e dcu_lines_in --l1d $sizes t.spt)
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$minsn" "$live2" "$live3" "$record" "$bytes" "$replay2" "$replay3" "$grid16" >>"$out"
done <<'END'
gzip gzip -6 -c
bzip2 bzip2 -c
sort sort -r
sed sed s/1/2/g
awk mawk {s+=length($0)}END{print(s)}
cksum cksum
base64 base64
od od -x
true true
END
