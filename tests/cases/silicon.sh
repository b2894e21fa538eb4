#!/bin/bash
# silicon.sh -- loops of libraries as silicon took them, against the models.
#
# Each row of silicon.tsv is measured by gmp.sh or openssl.sh. docs/CASES.md holds the table between its marks "silicon".
# HALVES  Rows of class A, sorted by name within their family, are of the halves "chosen" and "judged" by turns: a rule of the model
#         is chosen on the one and judged on the other.
# usage: silicon.sh           the gate, which measures nothing: docs/CASES.md has these rows, and its sums are those of its rows
#        silicon.sh --table   measure; print the table and its sums
#        silicon.sh --record  the same, and write it into docs/CASES.md
#        silicon.sh --halves  print the rows of class A with their halves: half, family, processor, kind, what, published
#        silicon.sh WHAT ...  measure these rows only
set -u
. "$(dirname "$0")/../lib.sh"
first='<!-- silicon: begin -->' last='<!-- silicon: end -->'

rows() { grep -vE '^(#|family	)' tests/cases/silicon.tsv; }

# with_halves: rows, sorted, with a column in front: chosen, judged or -
with_halves() {
	rows | LC_ALL=C sort -t '	' -k1,1r -k3,3 -k4,4 -k2,2 | awk -F '\t' '{
		half = $6 == "A" ? (n[$1]++ % 2 ? "judged" : "chosen") : "-"
		print half "\t" $0
	}'
}

# measure CPU KIND WHAT
measure() { BUILD=$BUILD SOFTPMU=$SOFTPMU tests/cases/"$2".sh "$1" "$3" 2>"$work/source" || { cat "$work/source" >&2; false; }; }

# lines: the table's, from the rows on standard input
lines() {
	local half family cpu kind what published class text got ratio
	while IFS='	' read -r half family cpu kind what published class text; do
		got=$(measure "$cpu" "$kind" "$what")
		ratio=-
		[ -z "$got" ] || ratio=$(awk "BEGIN { printf \"%.3f\", $got / $published }")
		echo "| $kind $what | $cpu | $published | ${got:--} | $ratio | $class | $half | $text |"
	done
}

# sums < TABLE: bias and error of rows of class A, by family and half
sums() {
	awk -F ' *[|] *' '$7 == "A" && $6 != "-" {
		family = $3 ~ /^pentium(-mmx)?$/ ? "p5" : "p6"
		off = $6 > 1 ? $6 - 1 : 1 - $6
		for (i = 0; i < 2; i++) {
			k = family " " (i ? $8 : "all")
			n[k]++; logs[k] += log($6); error[k] += off; far[k] += off > 0.15
		}
	} END {
		print "| family | rows of class A | number | geometric mean of softpmu/published | mean error | off by more than 15 % |"
		print "|---|---|---|---|---|---|"
		split("p6 p5", families, " "); split("all chosen judged", halves, " ")
		for (f = 1; f <= 2; f++) for (h = 1; h <= 3; h++) {
			k = families[f] " " halves[h]
			if (n[k]) printf "| %s | %s | %d | %.3f | %.1f %% | %d |\n", families[f], halves[h], n[k], exp(logs[k] / n[k]), 100 * error[k] / n[k], far[k]
		}
	}'
}

table() {
	echo "| loop | processor | published | softpmu | ratio | class | half | what |"
	echo "|---|---|---|---|---|---|---|---|"
	with_halves | lines
}

recorded() { sed -n "/$first/,/$last/p" docs/CASES.md; }

gate() {
	recorded | grep -E '^[|] (gmp|openssl) ' | awk -F ' *[|] *' '{ print $2 "\t" $3 "\t" $4 "\t" $7 "\t" $8 }' >"$work/docs"
	with_halves | awk -F '\t' '{ print $4 " " $5 "\t" $3 "\t" $6 "\t" $7 "\t" $1 }' >"$work/rows"
	if diff "$work/docs" "$work/rows" >"$work/diff"; then
		ok
	else
		bad "docs/CASES.md has other rows than silicon.tsv; tests/cases/silicon.sh --record writes them"
		head -n 10 "$work/diff"
	fi
	if diff <(recorded | sums) <(recorded | grep -E '^[|] (family|p[56]) |^[|]---[|]---[|]---[|]---[|]---[|]---[|]$') >"$work/diff"; then
		ok
	else
		bad "the sums in docs/CASES.md are not those of its rows"
		head -n 10 "$work/diff"
	fi
	finish
}

case ${1:-} in
"") gate ;;
--halves) with_halves | grep -v '^-	' | cut -f 1-6 ;;
--table | --record)
	table >"$work/table"
	{ echo; cat "$work/table"; echo; sums <"$work/table"; echo; } >"$work/all"
	if [ "$1" = --table ]; then
		cat "$work/all"
	elif grep -q '^| [^|]*| [^|]*| [^|]*| - |' "$work/table"; then
		echo "silicon.sh: some rows could not be measured; docs/CASES.md stays as it is" >&2
		exit 1
	else
		awk -v first="$first" -v last="$last" -v file="$work/all" '$0 == last { on = 0 } !on { print }
			$0 == first { on = 1; while ((getline line < file) > 0) print line }' docs/CASES.md >"$work/docs" && cat "$work/docs" >docs/CASES.md
		sums <"$work/table"
	fi ;;
*) for wanted; do with_halves | awk -F '\t' -v what="$wanted" '$5 == what' | lines; done ;;
esac
