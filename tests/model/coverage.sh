#!/bin/bash
# coverage.sh -- every event and unit mask that a processor counts has a program here that makes it count and predicts how often
# (an expectation other than 0), or a line in elsewhere.tsv that says which test does.
# What names the same event is the same content of the select register (softpmu explain).
set -u
. "$(dirname "$0")/../lib.sh"

# register CPU EVENT: what it writes into the select register
register() { "$SOFTPMU" explain --cpu "$1" "$2" 2>/dev/null | sed -n 's/^ *register *//p'; }

# family NAME CPU...: rows of the processors, the newest first, against what *.S expect of any of them
family() {
	local name=$1 cpu mask event
	shift
	for cpu; do
		"$SOFTPMU" list --json --cpu "$cpu" events | jq -r '.[] | select(.is_modelled) | .name as $n | .default_umask as $d |
			if .umasks == [] then $n else .umasks[] | "\($n):\(.name)\t\(.value == $d)" end' |
			while IFS=$'\t' read -r event is_default; do
				# a mask that is fixed has one value
				if [ "$is_default" = false ] && awk -F'\t' -v e="${event%:*}" '$3 == e && $6 == "fixed" { f = 1 } END { exit !f }' \
					"catalog/$name/events.tsv"; then continue; fi
				echo "$event $cpu"
			done
	done | awk '!seen[$1]++' >"$work/rows"
	grep -hE '^# (expect|between) ' tests/model/*.S | sed -E 's/^# [a-z]+ ([^:]*): *([^ ]*) *= */\1 \2 /' | awk '$3 != "0"' |
		awk '{ print $1, $2 }' | sort -u >"$work/expected"
	for cpu in "$name" "$@"; do
		awk -v c="$cpu" '$1 == c { print $2 }' "$work/expected" | while read -r event; do
			mask=$cpu
			[ "$cpu" = "$name" ] && mask=$1
			register "$mask" "$event"
		done
	done | sort -u >"$work/tested"
	while read -r event cpu; do
		if grep -qxF "$(register "$cpu" "$event")" "$work/tested"; then
			passed=$((passed + 1))
			awk -F'\t' -v f="$name" -v e="$event" '$1 == f && $2 == e { s = 1 } END { exit !s }' tests/model/elsewhere.tsv &&
				bad "$event: a program here makes it count: take it out of elsewhere.tsv"
			continue
		fi
		IFS=$'\t' read -r file word < <(awk -F'\t' -v f="$name" -v e="$event" -v OFS='\t' '$1 == f && $2 == e { print $3, $4 }' \
			tests/model/elsewhere.tsv)
		if [ -z "${file:-}" ]; then
			bad "$event ($cpu): no program makes it count"
		elif [ "$file" != - ] && ! grep -qF "$word" "$file"; then
			bad "$event: $file has no '$word'"
		else
			passed=$((passed + 1))
		fi
	done <"$work/rows"
}

family p6 pentium3 pentium2 pentiumpro
family p5 pentium-mmx pentium
finish
