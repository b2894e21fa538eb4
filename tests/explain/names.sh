#!/bin/bash
# names.sh FILE: what a document names and softpmu does not have, one per line.
#
#   "lab N"; "metric", "relation", "group", "explanation" and a name; words in capitals with a _: events; tests/... and docs/...: files
set -u
. "$(dirname "$0")/../lib.sh"

for cpu in pentium-mmx pentiumpro pentium2 pentium3; do
	for list in metrics relations groups; do
		"$SOFTPMU" list "$list" --json --cpu "$cpu" | jq -r ".[] | \"${list%s} \" + .name"
	done
done >"$work/have"
cut -f 3 catalog/p[56]/events.tsv >>"$work/have"
"$SOFTPMU" list explanations --json | jq -r '.[] | "explanation " + .name' >>"$work/have"
"$SOFTPMU" lab | awk '$1 + 0 { print "lab " $1 }' >>"$work/have"

tr '\n' ' ' <"$1" | sed 's/  */ /g; s/[`*]//g' >"$work/text"
{
	grep -oE '\b(lab [0-9]+|(metric|relation|group|explanation) [a-z0-9_-]+)' "$work/text" |
		grep -vE '^(metric|relation|group|explanation) (and|or|of|in|is|a|the|by|between|that|lists?|names?)$'
	sed -E 's/(tests|docs|src|catalog)\/[^ ]*//g' "$work/text" | grep -oE '\b[A-Z][A-Z0-9]+(_[A-Z0-9/-]+)+\b'
} | sort -u | grep -vxFf "$work/have"
grep -oE '\b(tests|docs|src|catalog)/[A-Za-z0-9_./-]*[A-Za-z0-9]' "$work/text" | sort -u | while read -r file; do
	[ -e "$file" ] || echo "$file"
done
exit 0
