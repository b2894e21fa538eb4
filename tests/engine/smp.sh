#!/bin/bash
# smp.sh -- programs with threads on several modelled processors: the same output as natively, the same
# counts every time, snoops where threads share lines, no identity of the catalog broken.
. "$(dirname "$0")/lib.sh"

$CC -O1 -pthread -o "$work/seen" "$src/threads/smp_seen.c" || exit 1
cd "$work" || exit 1
events=inst_retired,bus_tran_mem,bus_hit_drv,bus_hitm_drv,bus_tran_inval,bus_trans_wb,l2_lines_in,l2_rqsts

# stat OUT OPTIONS... -- PROGRAM: counts in OUT, output in OUT.text
stat_run() {
	local out=$1
	shift
	timeout 900 "$SOFTPMU" stat -x, -e $events -o "$out.all" "$@" >"$out.text" 2>"$out.err" </dev/null &&
		cut -d, -f1,3 "$out.all" >"$out"
}

for n in 1 2 3; do
	# threads are numbered in the order of birth: 0 is main()
	want="$n $n 0 $((1 % n)) $((2 % n)) $((3 % n))"
	stat_run seen$n --cpus $n -- ./seen && [ "$(cat seen$n.text)" = "$want" ] && ok ||
		bad "--cpus $n: the program sees $(cat seen$n.text seen$n.err), not $want"
done

# programs that choose their processors: what they are told, and that the model runs them there
widths=64
has_32_bit && widths="64 32" || skip "32-bit programs: this machine does not build them"
for w in $widths; do
	$CC -m$w -O1 -Wall -pthread -o affinity$w "$src/threads/affinity.c" || exit 1
	for event in instructions dcu_lines_in; do
		out=$(timeout 900 "$SOFTPMU" stat --cpus 3 -e $event -o counts -- ./affinity$w 2>&1)
		[ "$out" = "all right" ] && ok || bad "affinity, $w bits, $event: $out"
	done
done
# two threads write to one line 1000 times each: a modified line of another processor's, or not
for pair in "0 0" "1 1" "0 1" "2 0"; do
	timeout 900 "$SOFTPMU" stat -x, --cpus 3 -e bus_hitm_drv -o counts -- ./affinity64 $pair >out 2>&1
	n=$(count_of counts bus_hitm_drv)
	case $pair in
	"0 0" | "1 1") [ "${n:-9999}" -lt 500 ] && ok || bad "affinity $pair: HITM# $n times: $(cat out)" ;;
	*) [ "${n:-0}" -gt 2000 ] && ok || bad "affinity $pair: HITM# $n times: $(cat out)" ;;
	esac
done

if ! $CC -O1 -fopenmp -o matrix "$src/threads/smp_matrix.c" 2>cc.err; then
	skip "OpenMP: $CC cannot build such programs here: $(head -n 1 cc.err)"
	finish
fi
./matrix >native
for n in 1 2 4; do
	if stat_run first$n --cpus $n -- ./matrix && stat_run second$n --cpus $n -- ./matrix; then
		cmp -s first$n.text native && ok || bad "--cpus $n: another output than natively: $(cat first$n.text)"
		cmp -s first$n second$n && ok || bad "--cpus $n: two runs differ: $(diff first$n second$n | tr '\n' ' ')"
	else
		bad "--cpus $n: $(cat first$n.err second$n.err)"
	fi
done
[ "$(count_of first1.all bus_hitm_drv)" = 0 ] && [ "$(count_of first1.all bus_hit_drv)" = 0 ] && ok ||
	bad "one processor snoops"
# 2304 times a thread counts into the line; turns are shorter than a few counts
[ "$(count_of first2.all bus_hitm_drv)" -gt 100 ] && ok || bad "two processors: HITM# $(count_of first2.all bus_hitm_drv) times"
[ "$(count_of first2.all bus_hit_drv)" -gt 100 ] && ok || bad "two processors: HIT# $(count_of first2.all bus_hit_drv) times"
# each processor's own counters: "self" adds up to the total, "any" is the same everywhere
timeout 900 "$SOFTPMU" stat --json -o own --cpus 2 -e inst_retired,bus_tran_any:self,bus_tran_any:any,bus_hitm_drv -- ./matrix >out 2>err
values() { tr -d ' \n' <own | sed 's/{"name"/\n&/g' | sed -n "s/.*\"name\":\"$1\".*\"value\":\([0-9]*\),\"per_cpu\":\[\([0-9,]*\)\].*/\1 \2/p" | tr , ' '; }
for event in inst_retired bus_tran_any:self bus_hitm_drv; do
	read -r total a b < <(values $event)
	[ "${a:-0}" -gt 0 ] && [ "${b:-0}" -gt 0 ] && [ "$total" = $((a + b)) ] && ok || bad "$event: $total is not $a and $b"
done
read -r total a b < <(values bus_tran_any:any)
[ "${total:-0}" -gt 0 ] && [ "$total" = "$a" ] && [ "$total" = "$b" ] && ok || bad "bus_tran_any:any: $total, $a and $b"
for chaos in 256 512 4 32; do
	stat_run chaos$chaos --cpus 2 --chaos $chaos -- ./matrix && cmp -s first2 chaos$chaos && ok ||
		bad "--chaos $chaos changes counts: $(diff first2 chaos$chaos | tr '\n' ' ') $(cat chaos$chaos.err)"
done
for cpu in pentium3 pentiumpro celeron-covington; do
	timeout 900 "$SOFTPMU" check --cpu $cpu --cpus 2 -- ./matrix >out 2>err </dev/null
	[ $? = 0 ] && grep -q '0 identities broken' err && ok || bad "check --cpu $cpu --cpus 2: $(grep -h BROKEN err | head -n 2)"
done
finish
