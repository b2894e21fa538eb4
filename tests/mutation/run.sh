#!/bin/bash
# run.sh -- does a test notice when a figure of the Pentium's model is wrong?
#
# params.tsv names for each figure of catalog/p5/params.tsv another value and a test that fails with it:
#   model NAME             tests/model/NAME.S
#   asm CPU[/FIGURE=VALUE] CLOCKS LISTING  clocks per iteration that softpmu asm gives without the change: the test
#                          is in the row
#   clocks CPU CLOCKS NAME [OPTIONS]  clocks that N more rounds of tests/model/NAME.S take, without the change
#   none WHY               nothing of programs notices
# The clocks of these rows are this model's. A figure without a row, and a row whose test does not notice, is a failure. make check takes
# every fourth row, check-all each. Rows of timing.tsv: tests/unit/test_p5_timing.c, all of them each time.
# usage: run.sh [FIGURE ...]. Ends with "N passed, N failed".
set -u
. "$(dirname "$0")/../lib.sh"
REAL=$SOFTPMU
rows() { grep -v '^#' tests/mutation/params.tsv; }

# The command with one more option.
printf '#!/bin/bash\ncommand=$1\nshift\nexec "$REAL" "$command" --set "$MUTATION" "$@"\n' >"$work/softpmu"
chmod +x "$work/softpmu"
export REAL

# more_clocks SOFTPMU CPU NAME OPTIONS...
more_clocks() {
	local softpmu=$1 cpu=$2 name=$3 n few many
	shift 3
	n=$(sed -n 's/^# size //p' "tests/model/$name.S")
	for i in 1 2; do
		${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Itests/model -DN=$((i * ${n:-1000})) \
			-o "$work/program$i" "tests/model/$name.S" || return
	done
	few=$("$softpmu" stat --cpu "$cpu" -x, "$@" -e cycles -- "$work/program1" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$') &&
		many=$("$softpmu" stat --cpu "$cpu" -x, "$@" -e cycles -- "$work/program2" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$') &&
		echo $((many - few))
}

clocks() { "$@" 2>&1 | sed -n 's/^ *\([0-9.]*\) clocks per iteration.*/\1/p'; }

# notices FIGURE VALUE KIND WHAT...
notices() {
	export MUTATION=$1=$2
	case $3 in
	model)
		SOFTPMU=$work/softpmu tests/model/run.sh "tests/model/$4.S" >"$work/out" 2>&1 &&
			{ bad "$1=$2: tests/model/$4.S passes"; return; }
		grep -q '^FAILED' "$work/out" && ok || bad "$1=$2: $(head -n 1 "$work/out")"
		;;
	asm)
		local cpu=${4%%/*} more=() want=$5 got
		[ "$cpu" = "$4" ] || more=(--set "${4#*/}")
		shift 5
		got=$(clocks "$REAL" asm --read-data --cpu "$cpu" "${more[@]}" "$*")
		[ "$got" = "$want" ] || { bad "$*: $got clocks on $cpu, not $want"; return; }
		got=$(clocks "$work/softpmu" asm --read-data --cpu "$cpu" "${more[@]}" "$*")
		[ -n "$got" ] && [ "$got" != "$want" ] && ok || bad "$MUTATION: $* takes $got clocks all the same"
		;;
	clocks)
		local cpu=$4 want=$5 got
		shift 5
		got=$(more_clocks "$REAL" "$cpu" "$@")
		[ "$got" = "$want" ] || { bad "$*: $got clocks on $cpu, not $want"; return; }
		got=$(more_clocks "$work/softpmu" "$cpu" "$@")
		[ -n "$got" ] && [ "$got" != "$want" ] && ok || bad "$MUTATION: $* takes $got clocks all the same"
		;;
	none) ok ;;
	*) bad "params.tsv: $1: kind $3" ;;
	esac
}

while read -r name; do
	rows | cut -f1 | grep -qx "$name" && ok || bad "params.tsv has no row for $name"
done < <(grep -v '^#' catalog/p5/params.tsv | cut -f1)
n=0
while IFS=$'\t' read -r name value test; do
	if [ $# -gt 0 ]; then
		case " $* " in *" $name "*) ;; *) continue ;; esac
	elif [ "${CHECK_LEVEL:-quick}" != all ]; then
		n=$((n + 1))
		[ $((n % 4)) = 1 ] || continue
	fi
	# shellcheck disable=SC2086
	notices "$name" "$value" $test
done < <(rows)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
