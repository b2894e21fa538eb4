#!/bin/bash
# p6.sh -- does a test notice when one fact of the P6's model is wrong?
#
# Facts are changed one at a time when softpmu starts (--mutate and --set, docs/TESTING.md); a printed count must differ then from a number
# that stands in a test. Without the change the count is that number.
#   params  each row of catalog/p6/params.tsv: another value; p6_params.tsv names what counts something else then
#   moves   what becomes of a line (src/model/p6/moves.def): each other state in place of it; tests/model/*line_states*.S, *walk_states.S
#   rules   replacement and prediction (src/model/p6/rules.def); tests/model/replacement_*.S, branch_*.S
#   uops    each row of catalog/p6/uops.tsv: one micro-op more; p6_uops.tsv has instructions and their micro-ops
# Every eighth is tried, all with CHECK_LEVEL=all. A fact that no test notices is named; of those that a program can show, 98 % must be noticed.
# usage: p6.sh [KIND ...]. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../lib.sh"
export SOFTPMU_TESTS=1
tried=0 caught=0 turn=0
rows() { grep -v '^#' "$1"; }

# Is it this one's turn?
takes() {
	turn=$((turn + 1))
	[ "${CHECK_LEVEL:-quick}" = all ] || [ $((turn % 8)) = 1 ]
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

# refuses SENTENCE OPTIONS...: softpmu stat with them ends so
refuses() {
	local sentence=$1 out status
	shift
	out=$("$SOFTPMU" stat "$@" -e uops_retired -- true 2>&1)
	status=$?
	[ $status = 125 ] && [[ $out == *"$sentence"* ]] && ok || bad "stat $*: status $status, $out"
}

# Nobody meets the hook by accident.
hook() {
	SOFTPMU_TESTS='' refuses 'makes counts wrong and is for tests of softpmu only' --mutate rule:l1d.tree
	refuses 'there is no such row, move or rule' --mutate rule:l1d.nothing
	refuses 'there is no such row, move or rule' --mutate move:DCU_READ:I=S
	refuses 'there is no such row, move or rule' --mutate uops:xchg:r,r:uops=
	refuses 'the P6 has this test hook' --cpu pentium --mutate rule:l1d.tree
}

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

# The command with one more option, for tests/model/run.sh.
printf '#!/bin/bash\ncommand=$1\nshift\nexec "$REAL" "$command" $MUTATION "$@"\n' >"$work/softpmu"
chmod +x "$work/softpmu"
mkdir "$work/model"

# by_model NAME...: does one of tests/model/NAME.S notice $MUTATION?
by_model() {
	local name
	for name; do
		REAL=$SOFTPMU SOFTPMU=$work/softpmu MODEL_WORK=$work/model tests/model/run.sh "tests/model/$name.S" >"$work/out" 2>&1 && continue
		grep -q '^FAILED' "$work/out" && ! grep -q 'got nothing' "$work/out" && return 0
		bad "$MUTATION: $name: $(head -n 1 "$work/out")"
	done
	return 1
}

# The same tests without a mutation: as they are, in the plain model that mutations need, without host code, and with clocks.
unchanged() {
	local name how
	for name; do
		for how in '' '--chaos 256' '--chaos 512' '--timer-hz 1'; do
			takes || continue
			export MUTATION=$how
			! by_model "$name" && ok || bad "tests/model/$name.S $how"
		done
	done
}

move() {
	export MUTATION="--mutate move:$1"
	case $1 in
	*WALK*) by_model walk_states smp_walk_states ;;
	*TEXTBOOK*) by_model line_states_lru ;;
	*PEER* | *SHARED*) by_model smp_line_states ;;
	*) by_model line_states ;;
	esac
	verdict $((! $?)) "move:$1"
}

# The move NAME from a state, which leads to another: each other one.
moves() {
	local name i s e m from is to cannot
	unchanged line_states smp_line_states line_states_lru walk_states smp_walk_states
	while read -r name i s e m; do
		for from in I:$i S:$s E:$e M:$m; do
			is=${from#*:} from=${from%:*}
			cannot=$is$(rows tests/mutation/p6_moves.tsv | awk -F'\t' -v n=$name -v s=$from '$1 == n && $2 == s { print $3 }')
			[[ $name != IFU* ]] || cannot+=EM
			for to in I S E M; do
				[[ $is == X || $cannot == *$to* ]] || ! takes || move "$name:$from=$to"
			done
		done
	done < <(sed -n 's/^P6_MOVE(\([A-Z0-9_]*\), \(.\), \(.\), \(.\), \(.\)).*/\1 \2 \3 \4 \5/p' src/model/p6/moves.def)
}

rule() {
	export MUTATION="--mutate rule:$1"
	case $1 in
	*tlb.*) by_model replacement_tlb ;;
	l2.cast_out) by_model replacement_cast_out ;;
	l1d.* | l1i.* | l2.*) by_model "replacement_${1%%.*}" ;;
	wc.*) by_model write_combining_oldest ;;
	btb.set | btb.empty) by_model branch_sets ;;
	btb.random) by_model branch_random ;;
	btb.direct | btb.indirect) by_model branch_fresh ;;
	btb.target) by_model branch_indirect ;;
	rsb.*) by_model branch_returns ;;
	*) by_model branch_counters ;;
	esac
	verdict $((! $?)) "rule:$1"
}

rules() {
	local kind name unit
	unchanged replacement_{l1d,l1i,l2,cast_out,tlb} write_combining_oldest branch_{sets,random,fresh,indirect,returns,counters}
	while read -r kind name; do
		if [ "$kind" = SET_RULE ]; then
			for unit in l1i l1d l2 itlb dtlb; do
				! takes || rule "$unit.$name"
			done
		else
			! takes || rule "$name"
		fi
	done < <(sed -n 's/^P6_\(SET_RULE\|RULE\)([A-Z0-9_]*, "\([a-z0-9_.]*\)".*/\1 \2/p' src/model/p6/rules.def)
}

# clocks CPU LISTING OPTIONS...: those per iteration; LISTING as in p6_params.tsv
clocks() {
	local cpu=$1 text=$2 own=() k
	shift 2
	if [[ $text == *' -- '* ]]; then
		read -ra own <<<"${text%% -- *}"
		text=${text#* -- }
	fi
	for k in "${!own[@]}"; do
		own[k]=${own[k]//\~/ }
	done
	"$SOFTPMU" asm --cpu "$cpu" "$@" "${own[@]}" -- "$text" 2>&1 | sed -n 's/^ *\([0-9.]*\) clocks per iteration.*/\1/p'
}

# more CPU "EVENT NAME OPTIONS" OPTIONS...: of the event in N more rounds of tests/model/NAME.S
more() {
	local cpu=$1 event name own n i few many
	read -r event name own <<<"$2"
	shift 2
	n=$(sed -n 's/^# size //p' "tests/model/$name.S")
	for i in 1 2; do
		[ -x "$work/$name$i" ] || ${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Itests/model \
			-DN=$((i * ${n:-1000})) -o "$work/$name$i" "tests/model/$name.S" || return
	done
	# shellcheck disable=SC2086
	few=$(count --cpu "$cpu" "$@" $own -e "$event" -- "$work/${name}1") && many=$(count --cpu "$cpu" "$@" $own -e "$event" -- "$work/${name}2") &&
		[ -n "$few" ] && [ -n "$many" ] && echo $((many - few))
}

# param NAME CPU VALUE KIND NUMBER WHAT
param() {
	local cpu=$2 how=more got
	case $2 in
	-) cpu=pentium3 ;;
	ppro) cpu=pentiumpro ;;
	pii) cpu=pentium2 ;;
	esac
	[ "$4" != none ] || { verdict 0 "$1 of $2: $6"; return; }
	[ "$4" = count ] || how=clocks
	got=$($how "$cpu" "$6")
	[ "$got" = "$5" ] && ok || { bad "$1 of $2: $6: $got, not $5"; return; }
	got=$($how "$cpu" "$6" --set "$1=$3")
	[ -n "$got" ] || { bad "$1=$3 of $2: no count"; return; }
	[ "$got" != "$5" ]
	verdict $((! $?)) "$1=$3 of $2: $6"
}

params() {
	local name cpu value kind number what
	diff <(rows catalog/p6/params.tsv | cut -f1,2) <(rows tests/mutation/p6_params.tsv | cut -f1,2) >"$work/diff" && ok ||
		bad "p6_params.tsv has not the rows of catalog/p6/params.tsv: $(grep -m1 '^[<>]' "$work/diff")"
	while IFS=$'\t' read -r name cpu value kind number what; do
		! takes || param "$name" "$cpu" "$value" "$kind" "$number" "$what"
	done < <(rows tests/mutation/p6_params.tsv)
}

[ $# -gt 0 ] || set -- hook uops params moves rules
for kind; do
	$kind
done
echo "$caught of $tried changes are noticed"
[ $((100 * caught)) -ge $((98 * tried)) ] && ok || bad "fewer than 98 % are"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
