#!/bin/bash
# cases.sh -- published timings of the Pentium and of the P6 against the models.
#
# Each row of p5.tsv and p6.tsv is measured and compared. docs/CASES.md holds the table of results between its marks "cases";
# a row that is exact there must stay exact (that is what make check gates), the others are reported. p5_misses.tsv
# explains rows that are not.
# Published timings are of data in L1D, so all data are read before they are timed (--read-data).
# usage: cases.sh          the gate: every row but those that need a source; ends with "N passed, N failed"
#        cases.sh --table    print the table and its sums; those of GMP and OpenSSL too when their source can be had
#        cases.sh --record   the same, and write it into docs/CASES.md
#        cases.sh ID ...     these rows only, with what softpmu asm says of them
#        CASES=p6            one family only
set -u
. "$(dirname "$0")/../lib.sh"

# field N of the row in $row
field() { printf '%s' "$row" | cut -f "$1"; }

# How clocks are written: 4.00 is 4.
plain() { sed -e 's/\(\.[0-9]*[1-9]\)0*$/\1/' -e 's/\.0*$//'; }

clocks_of() {
	eval "\"$SOFTPMU\" asm --read-data --cpu $cpu $options -f tests/cases/$family/$what.asm" >"$work/asm" 2>&1
	sed -n 's/^ \([0-9.]*\) clocks\{0,1\} .*/\1/p' "$work/asm" | plain
}

line_of() {
	eval "\"$SOFTPMU\" asm --read-data --cpu $cpu $options -f tests/cases/$family/$what.asm" >"$work/asm" 2>&1
	sed -n 's/^ *\([0-9]*\)  \([UV]\)  .*/\1 \2/p' "$work/asm" | tail -n 1
}

# lost_of REASON: clocks lost by it per iteration or copy
lost_of() {
	clocks_of >/dev/null
	grep -q ' clocks\{0,1\} ' "$work/asm" || return
	sed -n '/clocks lost/,$p' "$work/asm" |
		awk -v reason="$1 " 'index(substr($0, 13), reason) == 1 { print $1; n = 1; exit } END { if (!n) print 0 }' | plain
}

# extra_of LISTING: clocks more than its own
extra_of() {
	local one two more=$what
	one=$(clocks_of) && what=$1 && two=$(clocks_of)
	what=$more
	[ -n "$one" ] && [ -n "$two" ] && awk "BEGIN { printf \"%.2f\", $one - $two }" | plain
}

# mispredictions N: of branches.S
mispredictions() {
	local event=pipeline_flushes
	[ "$cpu" = pentium ] || event=pipeline_flushes_due_to_wrong_branch_predictions
	[ "$family" = p5 ] || event=br_miss_pred_retired
	# shellcheck disable=SC2086
	${CC:-cc} -m32 -nostdlib -static -no-pie -Wl,-z,noexecstack $options -DN="$1" -o "$work/branches" \
		tests/cases/branches.S 2>"$work/cc" && "$SOFTPMU" stat --cpu "$cpu" -x, -e $event "$work/branches" 2>&1 |
		cut -d, -f1 | grep -E '^[0-9]+$'
}

rate_of() {
	local few many per=1
	few=$(mispredictions 1000) && many=$(mispredictions 1001000) || return
	case $options in *-DPER=*) per=${options##*-DPER=}; per=${per%% *} ;; esac
	awk "BEGIN { printf \"%.3f\", ($many - $few) * $per / 1000000 }" | plain
}

# Clocks in which the instructions from label start to the last but one are decoded.
decode_of() {
	clocks_of >/dev/null
	awk '/ start: / { on = 1 } / out: / { on = 0 } on && $1 ~ /^[0-9]+$/ && !seen[$1]++ { n++ } END { if (n) print n }' "$work/asm"
}

# each_of LISTING: clocks of one of 64 copies in a loop, that of LISTING, which is empty, taken off
each_of() {
	local full empty of=$what
	{ echo "again:"; yes "$(cat "tests/cases/$family/$what.asm")" | head -n 64; echo "dec ecx"; echo "jnz again"; } >"$work/each.asm"
	full=$(eval "\"$SOFTPMU\" asm --read-data --cpu $cpu $options -f \"$work/each.asm\"" 2>&1 | sed -n 's/^ \([0-9.]*\) clocks\{0,1\} .*/\1/p')
	what=$1 && empty=$(clocks_of)
	what=$of
	[ -n "$full" ] && [ -n "$empty" ] && awk "BEGIN { printf \"%.2f\", ($full - $empty) / 64 }" | plain
}

# Clocks that decoders wait behind the jump to start.
gap_of() {
	clocks_of >/dev/null
	awk '/ jmp start/ { at = $1 } / start: / { print $1 - at - 1; exit }' "$work/asm"
}

# per_of EVENT: its count per iteration of kernels.S, times PER of the options
per_of() {
	local few many per=1 n=${N:-1000}
	few=$(count_of "$1" "$n") && many=$(count_of "$1" $((3 * n))) || return
	case $options in *-DPER=*) per=${options##*-DPER=}; per=${per%% *} ;; esac
	awk "BEGIN { printf \"%.2f\", ($many - $few) * $per / (2 * $n) }" | plain
}

# count_of EVENT N
count_of() {
	# shellcheck disable=SC2086
	${CC:-cc} -m32 -nostdlib -static -no-pie -Wl,-z,noexecstack $options -DN="$2" -o "$work/$what" "tests/cases/$what.S" \
		2>"$work/cc" && "$SOFTPMU" stat --cpu "$cpu" -x, -e "$1" "$work/$what" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$'
}

# more_of OPTION: clocks per iteration more than with this option added
more_of() {
	local one two own=$options
	one=$(per_of cycles) && options="$options $1" && two=$(per_of cycles)
	options=$own
	[ -n "$one" ] && [ -n "$two" ] && awk "BEGIN { printf \"%.2f\", $one - $two }" | plain
}

# Is $got what $expected says?
is_right() {
	awk -v got="$got" -v want="$expected" -v tol="$tolerance" -v family="$family" 'BEGIN {
		if (got == "") exit 1
		if (want ~ /^>/) exit !(got + 0 > substr(want, 2) + 0)
		if (want !~ /^[0-9.]+$/) exit got != want
		off = got - want; off = off < 0 ? -off : off
		most = tol ~ /%$/ ? want * tol / 100 : tol + 0
		if (family == "p5" && tol ~ /%$/ && most < 0.5) most = 0.5 # half a clock per iteration
		exit !(off <= most + 1e-9)
	}'
}

# measure ROW: sets id cpu ... got verdict
measure() {
	row=$1
	id=$(field 1) cpu=$(field 2) kind=$(field 3) expected=$(field 4) tolerance=$(field 5) conf=$(field 6)
	scored=$(field 7) what=$(field 8) options=$(field 9) text=$(field 11)
	[ "$options" != - ] || options=
	case $kind in
	clocks) got=$(clocks_of) ;;
	line) got=$(line_of) ;;
	rate) got=$(rate_of) ;;
	lost:*) got=$(lost_of "${kind#lost:}") ;;
	extra:*) got=$(extra_of "${kind#extra:}") ;;
	decode) got=$(decode_of) ;;
	gap) got=$(gap_of) ;;
	each:*) got=$(each_of "${kind#each:}") ;;
	per:*) got=$(per_of "${kind#per:}") ;;
	more:*) got=$(more_of "${kind#more:}") ;;
	none) got= ;;
	gmp | openssl) got=$(BUILD=$BUILD SOFTPMU=$SOFTPMU tests/cases/$kind.sh "$cpu" "$what" 2>"$work/source") ;;
	esac
	if [ -z "$got" ] && [[ $kind == gmp || $kind == openssl ]]; then
		verdict=skipped
	elif [ "$kind" = none ]; then
		verdict=unscored
	elif is_right; then
		verdict=exact
	else
		verdict=off
	fi
}

why_of() { awk -F '\t' -v id="$id" -v cpu="$cpu" '$1 == id && ($2 == cpu || $2 == "*") { print $3; exit }' tests/cases/${family}_misses.tsv; }

# The verdict that is recorded for $id and $cpu.
recorded() {
	sed -n "/$family cases: begin/,/$family cases: end/p" docs/CASES.md |
		awk -F ' *[|] *' -v id="$id" -v cpu="$cpu" '$2 == id && $3 == cpu { print $7; exit }'
}

rows() { grep -vE '^(#|id	)' "tests/cases/$family.tsv"; }

table() {
	local scored_n=0 exact=0 skipped=0 others=0 note
	echo "| case | processor | expected | softpmu | scored | verdict | what, and why not |"
	echo "|---|---|---|---|---|---|---|"
	while IFS= read -r line; do
		measure "$line"
		note=$text
		[ "$scored" = yes ] || note="$note; not scored: ${scored#no: }"
		[ "$verdict" = exact ] || [ -z "$(why_of)" ] || note="$note; $(why_of)"
		echo "| $id | $cpu | $expected | ${got:--} | ${scored%%:*} | $verdict | $note |"
		if [ "$verdict" = skipped ]; then
			skipped=$((skipped + 1))
		elif [ "$scored" = yes ]; then
			scored_n=$((scored_n + 1))
			[ "$verdict" != exact ] || exact=$((exact + 1))
		elif [ "$verdict" = exact ]; then
			others=$((others + 1))
		fi
	done < <(rows)
	echo
	echo "Scored: $exact of $scored_n exact, $skipped skipped; of the others $others as expected."
}

record() {
	awk -v file="$work/table" -v begin="$family cases: begin" -v end="$family cases: end" 'index($0, begin) { print; print ""; while ((getline line < file) > 0) print line; print ""; skip = 1 }
		index($0, end) { skip = 0 } !skip { print }' docs/CASES.md >"$work/models" && cp "$work/models" docs/CASES.md
}

gate() {
	while IFS= read -r line; do
		case $line in *$'\t'gmp$'\t'* | *$'\t'openssl$'\t'* | *$'\t'none$'\t'*) continue ;; esac
		measure "$line"
		case $(recorded) in
		exact)
			if [ "$verdict" = exact ]; then
				passed=$((passed + 1))
			else
				failed=$((failed + 1))
				echo "FAIL $id on $cpu: expected $expected, got ${got:-nothing}"
			fi ;;
		off) [ "$verdict" != exact ] || echo "$id on $cpu is exact now: make cases-record" ;;
		*)
			failed=$((failed + 1))
			echo "FAIL $id on $cpu: docs/CASES.md does not have it: make cases-record" ;;
		esac
	done < <(rows)
}

for family in ${CASES:-p5 p6}; do
	case ${1:-} in
	"") gate ;;
	--table) table ;;
	--record) table >"$work/table" && record && tail -n 1 "$work/table" ;;
	*)
	for wanted; do
		while IFS= read -r line; do
			measure "$line"
			echo "$id on $cpu: expected $expected, got ${got:-nothing}: $verdict"
			[ "$kind" != clocks ] || cat "$work/asm"
		done < <(rows | grep -iE "^$wanted	")
	done ;;
	esac
done
if [ $# -eq 0 ]; then
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
fi
