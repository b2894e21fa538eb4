#!/bin/bash
# run.sh -- the same question asked in two ways: tier 1 against tier 2, an event alone against all at
# once, one command line option's effect against none, and the cache model against Cachegrind.
. "$(dirname "$0")/../engine/lib.sh"
here=$PWD/tests/diff

# counts FILE EVENTS OPTIONS... -- PROGRAM...: "name value" lines
counts() {
	local file=$1 events=$2
	shift 2
	"$SOFTPMU" stat -x, -o "$work/csv" -e "$events" "$@" >/dev/null 2>"$work/err" </dev/null ||
		echo "status $?" >>"$work/csv"
	awk -F, '/^#/ || !NF { next } { print $3, $1 }' "$work/csv" >"$file"
}

# --- tiers and company ------------------------------------------------------------------------------
bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 3000 >"$work/text"
tier1="inst_retired uops_retired br_inst_retired flops mmx_instr_exec emon_kni_inst_retired:0"
# Every event that the default processor counts on these programs.
"$SOFTPMU" stat -x, --all -o "$work/all" -- "$work/prog" sort 20 >/dev/null 2>&1
events=$(awk -F, '$1 ~ /^[0-9]+$/ { print $3 }' "$work/all" | sort -u)
n=$(echo "$events" | wc -w)
[ "$n" -ge 40 ] && ok || bad "stat --all counts only $n events"

compare() {
	local title=$1 alone all e
	shift
	"$SOFTPMU" stat -x, --all -o "$work/all" -- "$@" >/dev/null 2>&1
	for e in $events; do
		# make check asks a part of them alone, in turn; check-all every one.
		turn=$((turn + 1))
		[ "$CHECK_LEVEL" = all ] || [ $((turn % step)) = 0 ] || continue
		"$SOFTPMU" stat -x, -e "$e" -o "$work/one" -- "$@" >/dev/null 2>&1
		all=$(count_of "$work/all" "$e")
		alone=$(count_of "$work/one" "$e")
		[ -n "$alone" ] && [ "$all" = "$alone" ] && ok || bad "$title: $e is $alone alone and $all among all"
	done
}
turn=0 step=3
for w in sort interp strings calls x87 sse; do
	compare "$w" "$work/prog" $w
done
step=7
compare gzip /bin/gzip -c "$work/text"

# --- Cachegrind -------------------------------------------------------------------------------------
command -v valgrind >/dev/null || { skip "Cachegrind: valgrind is not installed"; finish; }

# cachegrind OUT GEOMETRY... PROGRAM: "I1 n", "D1 n", "LL n" misses
cachegrind() {
	local out=$1
	shift
	valgrind -q --tool=cachegrind --cache-sim=yes --cachegrind-out-file="$work/cg" "$@" >/dev/null 2>&1
	awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i }
		/^summary:/ { for (i = 2; i <= NF; i++) v[name[i]] = $i }
		END { print "Ir", v["Ir"]; print "I1", v["I1mr"]; print "D1", v["D1mr"] + v["D1mw"]
			print "LL", v["ILmr"] + v["DLmr"] + v["DLmw"] }' "$work/cg" >"$out"
}

value() { awk -v k="$2" '$1 == k { print $2 }' "$1"; }

for geometry in "32768,8,64 1048576,16,64 32K:8:64 1M:16:64" "8192,2,32 262144,4,32 8K:2:32 256K:4:32"; do
	set -- $geometry
	for walk in 1 2 3 4 5 6; do
		$CC $BARE -I"$src" -DWALK=$walk -o "$work/walk" "$here/walks.c" "$here/start_fixed.S" || exit 1
		cachegrind "$work/theirs" --I1=$1 --D1=$1 --LL=$2 "$work/walk"
		counts "$work/ours" inst_retired,ifu_ifetch_miss,dcu_lines_in,l2_lines_in --replace lru --phys identity \
			--walks off --l1i $3 --l1d $3 --l2 $4 -- "$work/walk"
		title="walk $walk, L1 $3, L2 $4"
		for pair in Ir:inst_retired I1:ifu_ifetch_miss D1:dcu_lines_in; do
			t=$(value "$work/theirs" ${pair%:*}) o=$(value "$work/ours" ${pair#*:})
			[ -n "${VERBOSE:-}" ] && echo "$title: $pair $t $o"
			[ -n "$o" ] && [ "$t" = "$o" ] && ok || bad "$title: ${pair#*:} is $o, Cachegrind's ${pair%:*} $t"
		done
		t=$(value "$work/theirs" LL) o=$(value "$work/ours" l2_lines_in)
		awk -v a="$t" -v b="$o" 'BEGIN { d = a - b; d = d < 0 ? -d : d; exit !(a > 0 && b != "" && d <= a / 1000) }' &&
			ok || bad "$title: l2_lines_in is $o, Cachegrind's LL misses $t: more than 0.1 % apart"
	done
done

# --- addresses ----------------------------------------------------------------------------------------
# Random instructions with every kind of address: a tiny direct-mapped cache misses as often in both models
# only when every recorded address is right. Without what Valgrind does not know;
# and without its optimiser, which drops loads whose value nobody uses.
tool fuzz_insn || exit 1
host=$(grep -m 1 '^flags' /proc/cpuinfo)
features=
for f in cx16 ssse3 sse4_1 sse4_2 popcnt abm bmi1 bmi2 avx avx2 fma f16c movbe aes pclmulqdq; do
	case "$host " in *" $f "*) features="$features $f" ;; esac
done
seeds=${FUZZ_SEEDS:-201 202 203}
[ "$CHECK_LEVEL" = all ] && seeds=$(seq 201 220)

# addresses TITLE: of the program $work/fuzz
addresses() {
	local t o
	cachegrind "$work/theirs" --I1=1024,1,64 --D1=1024,1,64 --LL=1048576,16,64 \
		--vex-iropt-level=0 "$work/fuzz"
	counts "$work/ours" inst_retired,ifu_ifetch_miss,dcu_lines_in --replace lru --phys identity --walks off \
		--l1i 1K:1:64 --l1d 1K:1:64 --l2 1M:16:64 -- "$work/fuzz"
	t=$(value "$work/theirs" D1) o=$(value "$work/ours" dcu_lines_in)
	[ -n "${VERBOSE:-}" ] && echo "$1: $(tr '\n' ' ' <"$work/theirs") $(tr '\n' ' ' <"$work/ours")"
	[ -n "$o" ] && [ "$t" = "$o" ] && ok || bad "addresses of $1: $o L1D lines, Cachegrind $t misses"
}

for seed in $seeds; do
	"$work/fuzz_insn" -a -s $seed -n 400 -x "$features " >"$work/cases.S" &&
		$CC $BARE -I"$src" -mgeneral-regs-only -Wl,--defsym=arena_low=0x2000f00 -o "$work/fuzz" \
			"$src/fuzz_main.c" "$work/cases.S" "$here/start_fixed.S" || exit 1
	addresses "seed $seed"
done
native_32_bit || { skip "addresses of 32-bit code: this machine does not build or run such programs"; finish; }
tool fuzz_insn32 || exit 1
for seed in $seeds; do
	"$work/fuzz_insn32" -a -s $seed -n 400 >"$work/cases.S" &&
		$CC -m32 $BARE -I"$src" -mgeneral-regs-only -o "$work/fuzz" "$src/fuzz_main32.c" "$work/cases.S" \
			"$here/start_fixed32.S" || exit 1
	addresses "seed $seed, 32 bits"
done
finish
