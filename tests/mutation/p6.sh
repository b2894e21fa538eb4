#!/bin/bash
# p6.sh -- does a test notice when one fact of the P6's model is wrong?
#
# Facts are changed one at a time when softpmu starts (--mutate and --set, docs/TESTING.md); a printed count must differ then from a number
# that stands in a test. Without the change the count is that number.
#   uops    each row of catalog/p6/uops.tsv: one micro-op more; p6_uops.tsv has instructions and their micro-ops
# Every eighth is tried, all with CHECK_LEVEL=all. A fact that no test notices is named; of those that a program can show, 98 % must be noticed.
# usage: p6.sh [KIND ...]. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
SOFTPMU=${SOFTPMU:-$PWD/$BUILD/softpmu}
export SOFTPMU_TESTS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 tried=0 caught=0 number=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
rows() { grep -v '^#' "$1"; }

# Is it this one's turn?
takes() {
	number=$((number + 1))
	[ "${CHECK_LEVEL:-quick}" = all ] || [ $((number % 8)) = 1 ]
}

# noticed FACT: or not, if $1 is 0
verdict() {
	tried=$((tried + 1))
	if [ "$1" = 1 ]; then
		caught=$((caught + 1))
	else
		echo "not noticed: $2"
	fi
}

# The count of one event; what is no number is nothing.
count() { "$SOFTPMU" stat -x, "$@" 2>&1 | sed -n 's/^\([0-9][0-9]*\),,.*/\1/p'; }

uops_programs() {
	local bits
	for bits in 64 32; do
		awk -v bits=$bits -f tests/mutation/p6_uops.awk tests/mutation/p6_uops.tsv >"$work/uops$bits.S"
		${CC:-cc} -m$bits -nostdlib -static -no-pie -Wl,-z,noexecstack -o "$work/uops$bits" "$work/uops$bits.S" 2>"$work/err" &&
			"$work/uops$bits" 0000 || { echo "skip uops of $bits-bit code: this machine does not build or run it"; rm -f "$work/uops$bits"; }
	done
}

# uops_row NUMBER MNEMONIC OPERANDS BITS WANT: the row as it is, and with another number in each column that counts
uops_row() {
	local row program=$work/uops$4 base got column value
	row=$(awk -F'\t' -v m="$2" -v o="$3" '$1 == m && $2 == o' catalog/p6/uops.tsv)
	[ -x "$program" ] || return
	base=$(count -e uops_retired -- "$program" 0000)
	got=$(count -e uops_retired -- "$program" "$1")
	[ $((got - base)) = $((100 * $5)) ] || { bad "$2 $3: $((got - base)) micro-ops of a hundred times $6, not ${5}00"; return; }
	ok
	while read -r column value; do
		got=$(count --mutate "uops:$2:$3:$column=$value" -e uops_retired -- "$program" "$1")
		base=$(count --mutate "uops:$2:$3:$column=$value" -e uops_retired -- "$program" 0000)
		[[ $got =~ ^[0-9]+$ ]] || { bad "uops:$2:$3:$column=$value: no count"; continue; }
		[ $((got - base)) != $((100 * $5)) ]
		verdict $((! $?)) "uops:$2:$3:$column=$value"
	done < <(awk -F'\t' '$3 { print "uops", $3 + 1 } $4 { print "per_item_x2", $4 + 2 }' <<<"$row")
}

uops() {
	local n=0 mnemonic operands bits want text
	diff <(rows catalog/p6/uops.tsv | cut -f1,2) <(rows tests/mutation/p6_uops.tsv | cut -f1,2) >"$work/diff" && ok ||
		bad "p6_uops.tsv has not the rows of catalog/p6/uops.tsv: $(grep -m1 '^[<>]' "$work/diff")"
	uops_programs
	while IFS=$'\t' read -r mnemonic operands bits want text; do
		n=$((n + 1))
		[ "$bits" = - ] || ! takes || uops_row "$(printf %04d $n)" "$mnemonic" "$operands" "$bits" "$want" "$text"
	done < <(rows tests/mutation/p6_uops.tsv)
}

[ $# -gt 0 ] || set -- uops
for kind; do
	$kind
done
echo "$caught of $tried changes are noticed"
[ $((100 * caught)) -ge $((98 * tried)) ] && ok || bad "fewer than 98 % are"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
