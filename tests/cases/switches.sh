#!/bin/bash
# switches.sh [-pv] [PARAM=VALUE[,PARAM=VALUE ...] ...] -- what parameters of catalog/p6/params.tsv do to the loops of silicon.tsv.
#
# Prints for each argument the geometric mean of softpmu/published and the mean error, over the rows of class A of the P6: all,
# the half on which rules are chosen, and the half on which they are judged. The first line is that of the default. -p: pairs of the
# arguments, too. -v: a line for each row.
# STARTS  as in loop.sh; one unless set
# LOOPS   as in loop.sh
set -u
. "$(dirname "$0")/../lib.sh"
export STARTS=${STARTS:-1} LOOPS=${LOOPS:-$work/loops} BUILD SOFTPMU
mkdir -p "$LOOPS"
pairs=false verbose=false
while getopts pv option; do
	case $option in
	p) pairs=true ;;
	v) verbose=true ;;
	*) exit 125 ;;
	esac
done
shift $((OPTIND - 1))
tests/cases/silicon.sh --halves | grep '	p6	' >"$work/rows"

# ratios OPTION ...: half, name and ratio of each row
ratios() {
	local half family cpu kind what published got
	while IFS='	' read -r half family cpu kind what published; do
		got=$(tests/cases/"$kind".sh "$cpu" "$what" "$@" 2>/dev/null </dev/null)
		[ -z "$got" ] || awk "BEGIN { printf \"$half $kind:$what %.4f\\n\", $got / $published }"
	done <"$work/rows"
}

# one NAME: the line of a setting
one() {
	local options=
	[ "$1" = default ] || options="--set ${1//,/ --set }"
	# shellcheck disable=SC2086
	ratios $options >"$work/ratios"
	[ $verbose = false ] || sed "s/^/$1 /" "$work/ratios"
	awk -v name="$1" '{
		off = $3 > 1 ? $3 - 1 : 1 - $3
		for (i = 0; i < 2; i++) { k = i ? $1 : "all"; n[k]++; logs[k] += log($3); error[k] += off; far[k] += off > 0.15 }
	} END {
		printf "| %s |", name
		split("all chosen judged", halves, " ")
		for (h = 1; h <= 3; h++) {
			k = halves[h]
			if (n[k]) printf " %.3f | %.1f %% | %d of %d |", exp(logs[k] / n[k]), 100 * error[k] / n[k], far[k], n[k]
		}
		print ""
	}' "$work/ratios"
}

echo "| setting | all: mean | error | far | chosen: mean | error | far | judged: mean | error | far |"
echo "|---|---|---|---|---|---|---|---|---|---|"
one default
for setting; do one "$setting"; done
while $pairs && [ $# -gt 1 ]; do
	first=$1
	shift
	for second; do one "$first,$second"; done
done
