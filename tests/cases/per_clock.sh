#!/bin/bash
# per_clock.sh -- for which events can there be more than one in a clock, and how often do the events begin that count clocks?
#
# per_clock.S runs on a Pentium III, and on a Pentium II for what only that has; each event is compared in every clock with 1, 2, 3 ...
# until it never is as much. The tables are in docs/CASES.md between its marks "p6 per clock".
# usage: per_clock.sh          the gate: the tables are those of docs/CASES.md; ends with "N passed, N failed"
#        per_clock.sh --table  print them
#        per_clock.sh --record write them into docs/CASES.md
set -u
. "$(dirname "$0")/../lib.sh"
first='<!-- p6 per clock: begin -->' last='<!-- p6 per clock: end -->'
WATCHES=32
# codes that may be counted as events or as clocks (Don Heller's commentary)
TWENTY="4 20 34 35 72 96 97 98 99 100 121 122 123 126 134 135 162 198 199 210"

${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -o "$work/prog" tests/cases/per_clock.S || exit 1

# counts CPU < EVENTS: "event count" each, as many at a time as one run compares
counts() {
	local events
	while mapfile -t -n $WATCHES events && [ "${#events[@]}" -gt 0 ]; do
		"$SOFTPMU" stat --cpu "$1" --env clean -x, -e "$(IFS=,; echo "${events[*]}")" --uncached 0x40000000+65536 \
			--defer 0x50000000+65536 --timer-hz 20000 -- "$work/prog" 2>&1 |
			awk -F, '$1 ~ /^[0-9]+$/ { print $3, $1 }'
	done
}

events_of() { "$SOFTPMU" list --json --cpu "$1" events | jq -r '.[] | select(.is_modelled and .code < 256) | "\(.code) \(.name)"'; }

events_of pentium3 >"$work/pentium3"
events_of pentium2 | grep -vxFf "$work/pentium3" >"$work/pentium2"

# rows CPU: "code event clocks-with-1 -2 -3 ..." of each event
rows() {
	local n=1 left
	cut -d' ' -f2 "$work/$1" >"$work/left"
	: >"$work/found"
	while [ -s "$work/left" ]; do
		sed "s/$/:c=$n/" "$work/left" | counts "$1" | awk '$2 > 0 { sub(/:.*/, "", $1); print }' >>"$work/found"
		left=$(awk -v n=$n '{ k[$1]++ } END { for (e in k) if (k[e] == n) print e }' "$work/found" | sort)
		printf '%s' "${left:+$left$'\n'}" >"$work/left"
		n=$((n + 1))
	done
	awk 'NR == FNR { c[$1] = c[$1] " " $2; next } { print $1, $2 c[$2] }' "$work/found" "$work/$1"
}

{ rows pentium3; rows pentium2; } | sort -n >"$work/rows"

# times: the twenty with and without edge
times() {
	awk -v codes="$TWENTY" 'BEGIN { split(codes, a, " "); for (i in a) on[a[i]] } $1 in on { print $2; print $2 ":e" }' \
		"$work/pentium3" | counts pentium3
}

hex() { printf '%02XH' "$1"; }

table() {
	local code event ones clocks
	echo "Made by \`tests/cases/per_clock.sh --record\` from \`per_clock.S\`, a program with something of"
	echo "everything at the rates that the machine can reach. More than one in a clock:"
	echo
	echo "| event | most in a clock | clocks with at least 1, 2, 3 ... |"
	echo "|---|---|---|"
	while read -r code event ones; do
		# shellcheck disable=SC2086
		set -- $ones
		[ $# -gt 1 ] && echo "| $(hex "$code") $event | $# | ${ones// /, } |"
	done <"$work/rows"
	echo
	echo "At most one in a clock: $(awk 'NF == 3 { printf "%s%02XH", n++ ? ", " : "", $1 }' "$work/rows")." | fold -s -w 100 | sed 's/ $//'
	echo "Never in this program: $(awk 'NF == 2 { printf "%s%02XH", n++ ? ", " : "", $1 }' "$work/rows")."
	echo
	echo "The twenty events that count clocks or occurrences, as they count and with edge (\`:e\`), how often"
	echo "such a stretch of clocks begins:"
	echo
	echo "| event | count | with edge |"
	echo "|---|---|---|"
	times >"$work/times"
	while read -r code event; do
		clocks=$(awk -v e="$event" '$1 == e { print $2 }' "$work/times")
		[ -n "$clocks" ] && echo "| $(hex "$code") $event | $clocks | $(awk -v e="$event:e" '$1 == e { print $2 }' "$work/times") |"
	done <"$work/pentium3"
}

table >"$work/table"
recorded() { sed -n "/$first/,/$last/p" docs/CASES.md | sed '1d;$d'; }

case ${1:-} in
--table) cat "$work/table" ;;
--record)
	awk -v first="$first" -v last="$last" -v file="$work/table" '$0 == last { on = 0 } !on { print }
		$0 == first { on = 1; while ((getline line < file) > 0) print line }' docs/CASES.md >"$work/models" &&
		cat "$work/models" >docs/CASES.md ;;
*)
	if diff <(recorded) "$work/table" >"$work/diff"; then
		echo "1 passed, 0 failed"
	else
		echo "FAIL docs/CASES.md has another table; tests/cases/per_clock.sh --record writes it"
		head -n 20 "$work/diff"
		echo "0 passed, 1 failed"
		exit 1
	fi ;;
esac
