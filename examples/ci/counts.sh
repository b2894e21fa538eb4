#!/bin/sh
# counts.sh [-t PERCENT] [-e EVENTS] KEPT PROGRAM [ARGS...] -- compare a program's counts with those kept in the file
# KEPT: exit status 1 when one rose by more than PERCENT (default 0.5). Where KEPT does not exist it is written.
# Another softpmu than that of the PATH: SOFTPMU=/path/to/softpmu. More options for it: SOFTPMU_STAT="--cpu pentium".
set -u
case ${1-} in -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;; esac
percent=0.5
events=instructions,uops_retired,branch-misses,dcu_lines_in,l2_lines_in
while getopts t:e: option; do
	case $option in
	t) percent=$OPTARG ;;
	e) events=$OPTARG ;;
	*) sed -n '2,4s/^# //p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [ $# -lt 2 ]; then sed -n '2,4s/^# //p' "$0" >&2; exit 2; fi
kept=$1; shift

now=$(mktemp) || exit 2
trap 'rm -f "$now"' EXIT
# shellcheck disable=SC2086 # SOFTPMU_STAT is a list of options
"${SOFTPMU:-softpmu}" stat --env clean ${SOFTPMU_STAT-} -x, -e "$events" -o "$now" -- "$@" >/dev/null
status=$?
if [ $status -ne 0 ]; then
	echo "counts.sh: the program ended with status $status; nothing was compared" >&2
	cat "$now" >&2
	exit 2
fi
if [ ! -e "$kept" ]; then
	cut -d, -f1-3 "$now" > "$kept" && echo "counts.sh: wrote $kept; commit it"
	exit
fi
awk -F, -v percent="$percent" '
	NR == FNR { before[$3] = $1; next }
	$1 !~ /^[0-9]/ { printf "%-24s %15s\n", $3, $1; next }
	!($3 in before) { printf "%-24s %15s %15.0f  new\n", $3, "-", $1; next }
	{
		seen[$3] = 1
		change = before[$3] ? 100 * ($1 - before[$3]) / before[$3] : ($1 > 0 ? 100 : 0)
		rose = change > percent
		printf "%-24s %15.0f %15.0f %+8.2f %%%s\n", $3, before[$3], $1, change, rose ? "  ROSE" : ""
		bad += rose
	}
	END {
		for (e in before) if (before[e] ~ /^[0-9]/ && !(e in seen)) { printf "%-24s %15.0f %15s  not counted any more\n", e, before[e], "-"; bad++ }
		exit bad > 0
	}' "$kept" "$now"
