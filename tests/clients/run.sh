#!/bin/bash
# run.sh -- programs that read performance counters themselves, unchanged, inside softpmu: what they print is what
# `softpmu stat` counts of the same instructions.
. "$(dirname "$0")/lib.sh"
export TMPDIR=$work/tmp # of our own: what stays behind in it is ours
mkdir "$TMPDIR"

# --- a program that knows its own counts -------------------------------------------------------------------
tests="counts formats errors descriptors inherits execs threads user_page turns page_turns overflows samples attached running mutual by_tid outsiders backwards"
$CC -O1 -w -o "$work/selfcount" "$clients/selfcount.c" -lpthread || exit 1
widths=selfcount
if $CC -m32 -O1 -w -o "$work/selfcount32" "$clients/selfcount.c" -lpthread 2>/dev/null && "$work/selfcount32" nothing 2>/dev/null; then
	widths="selfcount selfcount32"
else
	skip "32 bits: no 32-bit C library or no 32-bit system calls here"
fi
for program in $widths; do
	for t in $tests; do
		in_turn ${program#selfcount} || continue
		if timeout 900 "$SOFTPMU" run --tier 2 "$work/$program" $t >"$work/out" 2>&1; then ok
		else bad "$program $t: $(head -n 3 "$work/out" | tr '\n' '|')"; fi
	done
done
# What samples show, and time read by RDTSC alone.
frames="-O1 -w -fno-omit-frame-pointer -fno-optimize-sibling-calls"
for w in 64 32; do
	$CC -m$w $frames -o "$work/selfsample$w" "$clients/selfsample.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "callers 0 --tier 2" "callers 0 --tier 2 --chaos 64" "callers 0" "user_time 1 --tier 2" "user_time 0 --tier 3" \
		"user_time 1 --clock model" "user_time 1 --clock model --cpu pentium-mmx" \
		"skid 0 --tier 3 --skid 0" "skid 40 --skid model" "skid 4 --skid model --set pmi_clk=4" \
		"skid 82 --cpu pentiumpro --skid model --set pmi_clk=82"; do
		in_turn $w || continue
		set -- $how
		timeout 900 "$SOFTPMU" run "${@:3}" "$work/selfsample$w" $1 $2 >"$work/out" 2>&1 && ok ||
			bad "selfsample, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# Software events: page faults and context switches, counted and sampled as the program knows them; natively, too, where the
# kernel lets it.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/software$w" "$clients/software.c" -lpthread 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for t in faults where waits turns; do
		for turn in 1 2 3; do # a kernel that is short of memory takes a page back now and then
			"$work/software$w" $t >"$work/out" 2>&1 && break
		done
		case $? in 0) ok ;; 3) skip "software events, $w bits, $t: not natively here" ;; *) bad "software $t, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
		for how in "--tier 2" "" "--tier 2 --chaos 16" "--tier 2 --chaos 64" "--tier 2 --chaos 256" "--cpu pentium-mmx"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/software$w" $t >"$work/out" 2>&1 && ok ||
				bad "software $t, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
done
for w in 64 32; do
	[ -x "$work/software$w" ] && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "--tier 2" "" "--cpu pentium-mmx"; do
		in_turn $w || continue
		timeout 900 "$SOFTPMU" run --quantum 10000 $how "$work/software$w" ends >"$work/out" 2>&1 && ok ||
			bad "software ends, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# The signal of a page fault, and what its sample shows, find the program in front of the instruction; natively, too.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/faulted$w" "$clients/faulted.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for t in signals callers; do
		for turn in 1 2 3; do
			"$work/faulted$w" $t >"$work/out" 2>&1 && break
		done
		case $? in 0) ok ;; 3) skip "signals of faults, $w bits, $t: not natively here" ;; *) bad "faulted $t, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
		for how in "--tier 2" "" "--tier 2 --chaos 4" "--tier 2 --chaos 16" "--tier 2 --chaos 64" "--tier 2 --chaos 256" "--cpu pentium-mmx"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/faulted$w" $t >"$work/out" 2>&1 && ok ||
				bad "faulted $t, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
done
# Events with sigtrap: signals of their own kind to the thread that overflowed; natively, too, where the kernel is not older than what they say.
kernel=$(printf '%s\n' 6.1 "$(uname -r)" | sort -V | head -n 1) # 6.1: it is no older
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/sigtrapped$w" "$clients/sigtrapped.c" -lpthread 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for t in errors faults periods blocked ignored ends refreshed threads attached executed; do
		for turn in 1 2 3; do # a kernel that is short of memory takes a page back now and then
			[ "$kernel" = 6.1 ] && { "$work/sigtrapped$w" $t >"$work/out" 2>&1; status=$?; } || status=3
			[ $status = 1 ] || break
		done
		case $status in 0) ok ;; 3) skip "sigtrap, $w bits, $t: not natively here" ;; *) bad "sigtrapped $t, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
		for how in "--tier 2" "" "--tier 2 --chaos 16" "--tier 2 --chaos 320" "--cpu pentium-mmx"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/sigtrapped$w" $t >"$work/out" 2>&1 && ok ||
				bad "sigtrapped $t, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
	for how in "load 0x45 997 --tier 2" "jump 0xc4 997 --tier 2 --chaos 80" "load 0x45 997" "load 0x03 997 --cpu pentium --tier 2" \
		"load 0x48 9973 --tier 3" "load 0x1a 9973 --cpu pentium"; do
		in_turn $w || continue
		set -- $how
		timeout 900 "$SOFTPMU" run "${@:4}" "$work/sigtrapped$w" $1 $2 $3 >"$work/out" 2>&1 && ok ||
			bad "sigtrapped, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# Descriptors and mappings: passed on, waited for, closed, mapped on; natively, too.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/passed$w" "$clients/passed.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for t in sent waited blocked closed mapped kind ringless; do
		"$work/passed$w" $t >"$work/out" 2>&1
		case $? in 0) ok ;; 3) skip "passed, $w bits, $t: not natively here" ;; *) bad "passed $t, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
		for how in "" "--tier 2 --chaos 80"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/passed$w" $t >"$work/out" 2>&1 && ok ||
				bad "passed $t, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
done
# What /proc says of a descriptor to others, and by a directory that was opened before; natively, too.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/shown$w" "$clients/shown.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	"$work/shown$w" >"$work/out" 2>&1
	case $? in 0) ok ;; 3) skip "shown, $w bits: not natively here" ;; *) bad "shown, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
	for how in "" "--tier 2 --chaos 80"; do
		in_turn $w || continue
		timeout 900 "$SOFTPMU" run $how "$work/shown$w" >"$work/out" 2>&1 && ok || bad "shown, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# What a ring says of threads and processes that begin, end and get a name; natively, too.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/tasks$w" "$clients/tasks.c" -lpthread 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	"$work/tasks$w" >"$work/out" 2>&1
	case $? in 0) ok ;; 3) skip "tasks, $w bits: not natively here" ;; *) bad "tasks, natively, $w bits: $(head -n 3 "$work/out" | tr '\n' '|')" ;; esac
	for how in "" "--tier 2 --chaos 80" "--cpu pentium-mmx"; do
		in_turn $w || continue
		timeout 900 "$SOFTPMU" run $how "$work/tasks$w" >"$work/out" 2>&1 && ok || bad "tasks, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# Exclusive groups: which of some groups count, and for what share of their time.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/alone$w" "$clients/alone.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for counters in 2 all; do
		for how in "--tier 2" "" "--cpu pentium-mmx"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how --counters $counters "$work/alone$w" $counters >"$work/out" 2>&1 && ok ||
				bad "alone $counters, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
done
# Groups as large as they may be.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/crowd$w" "$clients/crowd.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "--tier 2" "" "--cpu pentium-mmx"; do
		in_turn $w || continue
		timeout 900 "$SOFTPMU" run $how --counters all "$work/crowd$w" >"$work/out" 2>&1 && ok ||
			bad "crowd, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# Whatever is asked: an answer, and nothing stays behind. More seeds in make check-all.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/anything$w" "$clients/anything.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for seed in $(seq $([ "$CHECK_LEVEL" = all ] && echo 20 || echo 2)); do
		for how in "" "--tier 2" "--counters all --cpu pentium-mmx --tier 2"; do
			in_turn $w || continue
			timeout 900 "$SOFTPMU" run $how "$work/anything$w" $seed 1000 >"$work/out" 2>&1 && ok ||
				bad "anything $seed, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
		done
	done
done
# Where samples lie: of a load that misses L1D and L2, a multiplication, a branch that is predicted wrong, a floating-point
# addition; with clocks also who waits for a line, for an address, for a part of a register. Four fifths of the clocks go by at the load.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/culprits$w" "$clients/culprits.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "load 0x45 97 --tier 2" "load 0x24 97 --tier 2" "load 0x43 101 --tier 2" "mul 0x12 89 --tier 2" "guess 0xc5 61 --tier 2" \
		"fadd 0xc1 79 --tier 2" "load 0x45 97 --tier 3" "mul 0x12 89 --tier 3" "guess 0xc5 61 --cpu pentiumpro" "load 0x43 101 --chaos 16" \
		"load 0x03 97 --cpu pentium-mmx --tier 2" "load 0x03 97 --cpu pentium" "load,80 0x79 3001 --tier 3" "load,0 0x17 997 --cpu pentium" \
		"load,80 0x18000c0 997 --tier 3 -e inst_retired:c=1:i" "load 0x48 997 --tier 3" "part 0xd2 499 --tier 3" "load 0x1f 499 --cpu pentium" "load,0 0xa2 997 --tier 3"; do
		in_turn $w || continue
		set -- $how
		timeout 900 "$SOFTPMU" run "${@:4}" "$work/culprits$w" ${1%,*} $2 $3 $([ ${1#*,} = $1 ] || echo ${1#*,}) >"$work/out" 2>&1 && ok ||
			bad "culprits, $w bits, $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# Sampling moves no clock: the count is the same however often it overflows.
for how in "0xa2 --tier 3" "0x79 --tier 3" "0x17 --cpu pentium" "0x1f --cpu pentium-mmx"; do
	set -- $how
	for period in 101 997 1000000000; do
		timeout 900 "$SOFTPMU" run "${@:2}" "$work/culprits64" load $1 $period 101 2>&1 | sed 's/.*count \([0-9]*\).*/\1/'
	done >"$work/out"
	[ "$(sort -u "$work/out" | wc -l)" = 1 ] && grep -q '^[0-9]' "$work/out" && ok || bad "event $how sampled: counts $(tr '\n' ' ' <"$work/out")"
done
# Nor does it change anything that the guest is stopped for a signal, or for what a sample shows: counts, clocks and places of samples.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/stopped$w" "$clients/stopped.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "0x79 997 --tier 3" "0xa2 61 --cpu pentiumpro" "0x17 97 --cpu pentium" "0x1a 97 --cpu pentium-mmx" "0x45 47 --tier 2" \
		"0x20000c2 197 --tier 3 -e uops_retired:c=2" "0x24 1 --tier 2" "0xc2 197 --tier 2" "0x28 97 --cpu pentium --tier 2"; do
		in_turn $w || continue
		set -- $how
		for mode in quiet ring async state; do
			timeout 900 "$SOFTPMU" run "${@:3}" "$work/stopped$w" $mode $1 $2 >"$work/$mode" 2>&1 || echo "status $?" >>"$work/$mode"
			head -n 1 "$work/$mode"
		done >"$work/out"
		[ "$(sort -u "$work/out" | wc -l)" = 1 ] && grep -q '^count' "$work/out" && ok ||
			bad "stopped, $w bits, $how: $(tr '\n' '|' <"$work/out")"
		for mode in async state; do
			[ "$(wc -l <"$work/ring")" -gt 3 ] && cmp -s "$work/ring" "$work/$mode" && ok ||
				bad "stopped, $w bits, $how, samples of ring and $mode: $(diff "$work/ring" "$work/$mode" | head -n 3 | tr '\n' '|')"
		done
	done
done
# Samples for a ring alone lie where those do for which the program is stopped, however long instructions take.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/slow$w" "$clients/slow.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "0x79 1499 --tier 3" "0x79 3001 --cpu pentiumpro" "0xd0 61 --tier 3" "0x16 61 --cpu pentium"; do
		in_turn $w || continue
		set -- $how
		for mode in ring stop; do
			timeout 900 "$SOFTPMU" run "${@:3}" "$work/slow$w" $mode $1 $2 >"$work/$mode" 2>&1 || echo "status $?" >>"$work/$mode"
		done
		n=$(wc -l <"$work/stop") m=$(paste "$work/ring" "$work/stop" | awk '$1 != $2 { n++ } END { print n + 0 }')
		[ $n -gt 140 ] && [ $m = 0 ] && ok || bad "slow, $w bits, $how: $m of $n samples of the ring lie elsewhere"
	done
done
# Also behind the last instruction that is counted, which is the system call that stops the event: one sample up to that period, and none from it on.
for w in 64 32; do
	[ -x "$work/slow$w" ] || continue
	for period in $(seq 9014 9060); do
		for mode in ring stop; do
			timeout 900 "$SOFTPMU" run --tier 2 "$work/slow$w" $mode 0xc0 $period >"$work/$mode" 2>&1 || echo "status $?" >>"$work/$mode"
		done
		cmp -s "$work/ring" "$work/stop" && [ -s "$work/ring" ] || break
	done
	[ $period -gt 9020 ] && [ $period -lt 9060 ] && ! [ -s "$work/ring" ] && ! [ -s "$work/stop" ] && ok ||
		bad "slow, $w bits, instructions, period $period: $(paste "$work/ring" "$work/stop" | head -n 3 | tr '\n' '|')"
done
# A process that watches another moves no clock and no sample, however often it looks. Each sample with registers stops the
# program, which takes the host long; make check-all makes six times as many turns.
[ "$CHECK_LEVEL" = all ] && many=60000 few=6000 || many=10000 few=1000
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/watched$w" "$clients/watched.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "$many --tier 3" "$many --cpu pentium-mmx" "$few regs --tier 3" "$few regs --cpu pentium-mmx"; do
		in_turn $w || continue
		options=--${how#*--} turns=${how%%--*}
		for mode in quiet reads starts opens; do
			timeout 900 "$SOFTPMU" run $options "$work/watched$w" $mode 997 $turns >"$work/$mode" 2>&1 || echo "status $?" >>"$work/$mode"
			cmp -s "$work/quiet" "$work/$mode" && [ "$(wc -l <"$work/$mode")" -gt $((${turns%% *} / 30)) ] && ok ||
				bad "watched, $w bits, $how, $mode: $(diff "$work/quiet" "$work/$mode" | head -n 3 | tr '\n' '|')"
		done
		timeout 900 "$SOFTPMU" run $options "$work/watched$w" traps 997 $turns >"$work/out" 2>&1 && [ "$(wc -l <"$work/out")" -ge "$(wc -l <"$work/quiet")" ] && ok ||
			bad "watched, $w bits, $how, traps: $(tail -n 2 "$work/out" | tr '\n' '|')"
	done
	for how in "$many shares --tier 3" "$many shares sleeps --tier 3" "$many shares --cpu pentium-mmx" "$few regs shares --tier 3"; do # its counter is another one's every other turn
		in_turn $w || continue
		options=--${how#*--} turns=${how%%--*}
		for mode in quiet quiet reads opens; do
			timeout 900 "$SOFTPMU" run --counters 2 $options "$work/watched$w" $mode 997 $turns >"$work/out" 2>&1 || echo "status $?" >>"$work/out"
			[ -e "$work/shared" ] || cp "$work/out" "$work/shared"
			cmp -s "$work/shared" "$work/out" && [ "$(wc -l <"$work/out")" -gt $((${turns%% *} / 60)) ] && ok ||
				bad "watched, $w bits, $how, $mode: $(diff "$work/shared" "$work/out" | head -n 3 | tr '\n' '|')"
		done
		rm "$work/shared"
	done
done
# Overflows that are signals: behind the load that missed, at the target of the jump.
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/signalled$w" "$clients/signalled.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	for how in "load 0x45 997 --tier 2" "jump 0xc4 997 --tier 2" "load 0x45 997" "load 0x03 997 --cpu pentium --tier 2" \
		"load 0x48 9973 --tier 3" "load 0x1a 9973 --cpu pentium" "far 0x48 1501 --tier 3"; do
		in_turn $w || continue
		set -- $how
		timeout 900 "$SOFTPMU" run "${@:4}" "$work/signalled$w" $1 $2 $3 >"$work/out" 2>&1 && ok ||
			bad "signalled, $w bits, $how: status $?: $(head -n 3 "$work/out" | tr '\n' '|')"
	done
done
# However much an instruction counts: each signal comes behind the instruction of its sample, and the first sample lies where it does when nothing
# stops the program. At level all with events and periods at random, too.
random_periods() {
	awk -v seed=1 'BEGIN { srand(seed)
		n = split("0x79:3000:3 0xa2:400:3 0x48:1500:3 0xd0:300:3 0x22:300:3 0x14:60:3 0xc2:900:2 0x43:200:2 0x45:30:2 0xc0:500:2 0xc5:5:2", p6, " ")
		m = split("0x1a:400:pentium 0x18:1500:pentium 0x19:90:pentium 0x17:200:pentium 0x30:2500:pentium-mmx 0x28:100:pentium", p5, " ")
		for (i = 0; i < 60; i++) {
			k = int(rand() * (n + m)) + 1
			split(k > n ? p5[k - n] : p6[k], e, ":")
			print e[1], 1 + int(e[2] * (0.8 + 2 * rand())), 32, (k > n ? "--cpu " : "--tier ") e[3]
		} }'
}
exact="0x43 211 6 --tier 2,0xc2 997 6 --tier 2,0x45 23 6 --tier 2,0x79 2999 6 --tier 3,0x48 1499 6 --tier 3,0xa2 97 6 --cpu pentiumpro,0x1a 701 6 --cpu pentium,0x19 97 6 --cpu pentium,0x12 41 6 --cpu pentium,0x32 37 6 --cpu pentium-mmx,0x30 2999 6 --cpu pentium-mmx,0xc8 2 6 --tier 3 --timer-hz 500000,0x27 2 6 --cpu pentium --timer-hz 100000,0x79 2999 6 --tier 3 --timer-hz 200000"
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/exact$w" "$clients/exact.c" 2>/dev/null && [ $w = 64 -o "$widths" != selfcount ] || continue
	while read -r how; do
		in_turn $w || continue
		set -- $how
		: >"$work/async"
		timeout 900 "$SOFTPMU" run "${@:4}" "$work/exact$w" ring $1 $2 $3 >"$work/ring" 2>&1 &&
			timeout 900 "$SOFTPMU" run "${@:4}" "$work/exact$w" async $1 $2 $3 >"$work/async" 2>&1 &&
			[ "$(head -n 1 "$work/ring")" = "$(head -n 1 "$work/async")" ] && ok ||
			bad "exact, $w bits, $how: $(tr '\n' '|' <"$work/ring") and $(tr '\n' '|' <"$work/async")"
	done < <(tr , '\n' <<<"$exact"; [ "$CHECK_LEVEL" != all ] || random_periods)
done
# The same, when records begin with the first event: with signals at random, and when all translations go now and then.
for program in $widths; do
	for t in $tests; do
		in_turn ${program#selfcount} || continue
		case $t in overflows) chaos=16 ;; *) chaos=80 ;; esac # signals end the turns of a waiting ioctl
		case $t in page_turns) tier="--tier 2" ;; *) tier= ;; esac # it takes instructions for time
		if timeout 900 "$SOFTPMU" run --cpu pentium2 $tier --chaos $chaos "$work/$program" $t >"$work/out" 2>&1; then ok
		else bad "$program $t, from its first event on: $(head -n 3 "$work/out" | tr '\n' '|')"; fi
	done
done
# What is counted then is what is counted with records from the beginning, but for what caches held before.
steady_numbers
for tier in "" "--tier 2"; do
	"$SOFTPMU" run $tier -- "$SOFTPMU" stat --backend hw -x, -e instructions,branches -o "$work/rises${tier#* }" sh -c 'true; /bin/true' >/dev/null 2>&1
done
[ "$(cut -d, -f1,3 "$work/rises" | tr '\n' ' ')" = "$(cut -d, -f1,3 "$work/rises2" | tr '\n' ' ')" ] && [ -s "$work/rises" ] && ok ||
	bad "instructions and branches: $(tr '\n' '|' <"$work/rises"), with --tier 2 $(tr '\n' '|' <"$work/rises2")"
# stat offers them also where its own events need no records, and counts the same with them.
for e in inst_retired inst_retired,dcu_lines_in; do
	"$SOFTPMU" stat -x, -e $e -o "$work/stat$e" "$work/selfcount" counts >"$work/out" 2>&1 && ok || bad "stat -e $e: $(head -n 3 "$work/out" | tr '\n' '|')"
done
[ "$(count_of "$work/statinst_retired" inst_retired)" = "$(count_of "$work/statinst_retired,dcu_lines_in" inst_retired)" ] && ok ||
	bad "instructions of a program that counts itself: $(cat "$work"/statinst_retired*)"
# Where records are made anyway, from the beginning.
for how in "--per-thread" "--trace $work/trace" "--clock model"; do
	"$SOFTPMU" stat -x, $how -e inst_retired -o "$work/records" "$work/selfcount" counts >"$work/out" 2>&1 && ok ||
		bad "stat $how: $(head -n 3 "$work/out" | tr '\n' '|')"
	[ "$(sed 's/^total,//' "$work/records" | head -n 1 | cut -d, -f1)" = "$(count_of "$work/statinst_retired" inst_retired)" ] && ok ||
		bad "stat $how, instructions: $(head -n 1 "$work/records")"
done
# Several processors: the program finds the counters of the first, and each column is what it was without the program's events.
"$SOFTPMU" stat --cpu pentium3,pentium-mmx -x, -e instructions,branches -o "$work/records" "$work/selfcount" counts >"$work/out" 2>&1 && ok ||
	bad "two processors: $(head -n 3 "$work/out" | tr '\n' '|')"
n=$(count_of "$work/statinst_retired" inst_retired)
[ "$(awk -F, '$4 == "instructions" { printf "%s %s ", $1, $2 }' "$work/records")" = "pentium3 $n pentium-mmx $n " ] && ok ||
	bad "two processors, instructions: $(tr '\n' '|' <"$work/records")"
"$SOFTPMU" run --skid model --cpu pentium true 2>&1 | grep -q 'raise no interrupt' && ok || bad "--skid model on a Pentium"
"$SOFTPMU" run --skid model --tier 2 true 2>&1 | grep -q 'use --tier 3' && ok || bad "--skid model without clocks"
timeout 900 "$SOFTPMU" run --tier 1 "$work/selfcount" counts 2>&1 | grep -q 'not implemented' && ok || bad "--tier 1 offers events"
timeout 900 "$SOFTPMU" run --cpu pentium-mmx --tier 2 "$work/selfcount" inherits >"$work/out" 2>&1 && ok ||
	bad "on a Pentium: $(head -n 3 "$work/out" | tr '\n' '|')"

# --- wrong questions: what this machine's own kernel answers ------------------------------------------------------
for w in 64 32; do
	$CC -m$w -O1 -w -o "$work/errors$w" "$clients/errors.c" 2>/dev/null || continue
	if [ "$("$work/errors$w" 1 0 2>/dev/null | grep -c works)" -lt 10 ]; then
		skip "errors, $w bits: no software events of perf_event_open, or no such programs here"
		continue
	fi
	for seed in 1 2 3 4; do
		"$work/errors$w" $seed 400 >"$work/native"
		timeout 900 "$SOFTPMU" run "$work/errors$w" $seed 400 >"$work/inside" 2>&1
		cmp -s "$work/native" "$work/inside" && ok || bad "errors, $w bits: $(diff "$work/native" "$work/inside" | head -n 4 | tr '\n' '|')"
	done
done

# --- perf stat ---------------------------------------------------------------------------------------------------
# What softpmu itself counts of PROGRAM, in the environment that perf makes for it: outer EVENT PROGRAM ARGS...
outer() {
	local event=$1
	shift
	env PATH="$perf_path" PREFIX=/usr PERF_BUILDID_DIR=.debug "$SOFTPMU" stat -x, -e "$event" -o "$work/outer" "$@" >/dev/null
	count_of "$work/outer" "$event"
}

# inner EVENT: the number in the lines of perf stat -x,
inner() { awk -F, -v e="$1" '$3 == e { print $1; exit }' "$work/inner"; }


# near INNER OUTER PERCENT PROGRAM ARGS...: what depends on the caches is not the same to the last one, because perf's
# child does not begin with an empty machine.
near() {
	local i=$(inner $1) name=$1 percent=$3 o
	o=$(outer $2 "${@:4}")
	if [ -n "$o" ] && [ $((i * 100)) -ge $((o * (100 - percent))) ] && [ $((i * 100)) -le $((o * (100 + percent))) ]; then ok
	else bad "perf stat ${*:4}: $name $i, outside $o"; fi
}

if perf=$(command -v perf) && "$perf" --version >/dev/null 2>&1; then
	perf_path=$("$SOFTPMU" run --tier 2 "$perf" stat -o "$work/inner" -e instructions sh -c 'echo $PATH')
	for program in /usr/bin/true "/usr/bin/seq 1 2000"; do
		"$SOFTPMU" run --tier 2 "$perf" stat -x, -o "$work/inner" -e instructions,r0045 $program >/dev/null
		i=$(inner instructions) o=$(outer inst_retired $program)
		[ -n "$o" ] && [ "$i" = "$o" ] && ok || bad "perf stat $program: instructions $i, outside $o"
		near r0045 r0045 2 $program
	done
	"$SOFTPMU" run --counters all "$perf" stat -x, -o "$work/inner" -e instructions,cycles,r0045 /usr/bin/true
	o=$(outer inst_retired /usr/bin/true)
	[ "$(inner instructions)" = "$o" ] && ok || bad "perf stat with time: instructions $(inner instructions), outside $o"
	near cycles cycles 10 /usr/bin/true
	"$SOFTPMU" run --tier 2 "$perf" stat -e '{instructions,branches}' -e r0010 -e dTLB-load-misses,ref-cycles,page-faults true 2>"$work/out"
	[ "$(grep -c 'not supported' "$work/out")" = 2 ] && [ "$(awk '$2 == "page-faults" { print $1 }' "$work/out")" -gt 20 ] && ok || bad "perf stat, unknown events: $(tr '\n' '|' <"$work/out")"
	for asked in 'cycles,dcu_lines_in dcu_lines_in,.*-e.r0045' 'dcu_line_in dcu_line_in;.*DCU_LINES_IN.*-e.r0045' 'l2_ld:u l2_ld,.*-e.r0f29'; do
		"$SOFTPMU" run --tier 2 "$perf" stat -e ${asked% *} true 2>"$work/out"
		[ $? = 129 ] && grep -q "^softpmu: perf does not know ${asked#* }" "$work/out" && ok || bad "perf stat -e ${asked% *}: $(tail -n 1 "$work/out")"
	done
	"$SOFTPMU" run --tier 2 "$perf" stat -e no_such_event true 2>"$work/out"
	! grep -q ^softpmu "$work/out" && ok || bad "perf stat, a name that nobody has: $(tail -n 1 "$work/out")"
	"$SOFTPMU" run --tier 2 "$perf" stat -e instructions:pp true 2>"$work/out"
	grep -q 'asked for instructions:pp: .* leave :pp away' "$work/out" && ok || bad "perf stat, precise samples: $(tail -n 1 "$work/out")"
	"$SOFTPMU" run --tier 2 --cpu pentium-mmx "$perf" stat -x, -o "$work/inner" -e '{cpu/event=0x16,counters=2/,r116}' \
		-e cpu/event=0x3f,counters=1/ /usr/bin/true 2>"$work/out" # no event has this code
	o=$(outer instructions --cpu pentium-mmx /usr/bin/true)
	[ "$(awk -F, 'NF > 3 { printf "%s ", $1 }' "$work/inner")" = "$o $o <not supported> " ] && ok ||
		bad "perf stat on a Pentium: $(tr '\n' '|' <"$work/inner"), outside $o"
	"$SOFTPMU" run --tier 2 "$perf" list hw 2>/dev/null | grep -q 'branch-misses' && ok || bad "perf list hw"

	# --- perf stat of a process that runs, and of its threads: perf's own command has it work ----------------------
	cat >"$work/attach" <<-'EOF'
	rm -f go done; mkfifo go done
	"$1" crew <go >done &
	exec 3>go 4<done
	read one two three <&4
	shift
	case $1 in -t) set -- -t $two ;; -p) set -- -p $! ;; *) set -- --per-thread -t $one,$two,$three ;; esac
	perf stat -x, -o inner -e instructions "$@" sh -c 'echo >&3; read line <&4'
	EOF
	for tier in "" "--tier 2"; do
		(cd "$work" && timeout 900 "$SOFTPMU" run $tier sh attach "$work/selfcount" -t)
		within "perf stat $tier -t: a thread that takes two turns" "$(inner instructions)" 400000 402000
		(cd "$work" && timeout 900 "$SOFTPMU" run $tier sh attach "$work/selfcount" -p)
		within "perf stat $tier -p: three threads" "$(inner instructions)" 1200000 1210000
	done
	(cd "$work" && timeout 900 "$SOFTPMU" run sh attach "$work/selfcount" --per-thread)
	[ "$(awk -F, '/instructions/ { print int($2 / 199999) }' "$work/inner" | sort | tr '\n' ' ')" = "1 2 3 " ] && ok ||
		bad "perf stat --per-thread -t: $(tr '\n' '|' <"$work/inner")"

	# --- perf record: samples where the instructions were ---------------------------------------------------
	$CC -O1 -g -w -o "$work/hot" "$clients/hot.c" || exit 1
	"$SOFTPMU" run --tier 2 "$perf" record -e instructions -c 9973 -o "$work/data" "$work/hot" >"$work/out" 2>&1
	samples "$perf" "$work/data" ip,sym >"$work/samples"
	o=$(outer inst_retired "$work/hot")
	within "perf record of $o instructions: samples" $(wc -l <"$work/samples") $((o / 9973 - 1)) $((o / 9973 + 1))
	# one() executes a quarter of the loop's instructions, three() the rest
	within "perf record: percent in one()" $(part one <"$work/samples") 24 26
	within "perf record: percent in three()" $(part three <"$work/samples") 73 76
	"$perf" report -i "$work/data" --stdio 2>/dev/null | awk '/%/ { print $NF }' | head -n 2 | tr '\n' ' ' >"$work/out"
	[ "$(cat "$work/out")" = "three one " ] && ok || bad "perf report: $(cat "$work/out")"
	# Of a process that runs: perf takes its files from /proc, which says there what may be executed, as the program sees it.
	# It works for a line that perf's own command writes, so that all of its work is between perf's begin and end.
	cat >"$work/record" <<-'EOF'
	rm -f go done; mkfifo go done
	./hot 300000 lines <go >done &
	exec 3>go 4<done
	echo >&3; read line <&4
	cat /proc/$!/task/$!/maps >maps
	perf record -e instructions -c 10007 -o data -p $! sh -c 'echo >&3; read line <&4'
	EOF
	rm -f "$work/data"
	(cd "$work" && timeout 900 "$SOFTPMU" run --tier 2 sh record >"$work/out" 2>&1)
	grep -q 'r-xp .*/hot$' "$work/maps" && ok || bad "maps of another process: $(head -n 3 "$work/maps" | tr '\n' '|')"
	samples "$perf" "$work/data" ip,sym >"$work/samples"
	within "perf record -p: percent in one()" $(part one <"$work/samples") 24 26
	within "perf record -p: percent in three()" $(part three <"$work/samples") 73 76
	# Call graphs: by frame pointers and by the stack.
	$CC $frames -g -o "$work/callers" "$clients/callers.c" || exit 1
	for how in "-g" "--call-graph dwarf"; do
		"$SOFTPMU" run --tier 2 "$perf" record $how -e instructions -c 20011 -o "$work/data" "$work/callers" >"$work/out" 2>&1
		"$perf" script -i "$work/data" -F ip,sym 2>/dev/null | awk 'NF == 0 { print way; way = ""; next } { way = way " " $2 }' >"$work/ways"
		few=$(grep -c '^ leaf few main' "$work/ways") many=$(grep -c '^ leaf many main' "$work/ways") all=$(grep -c . "$work/ways")
		# one in four of leaf's instructions for few(), and hardly any elsewhere
		[ $((few + many)) -gt $((all * 9 / 10)) ] && [ $((few * 3)) -ge $((many * 9 / 10)) ] && [ $((few * 3)) -le $((many * 11 / 10)) ] && ok ||
			bad "perf record $how: $few samples by few, $many by many, $all in all; $(tail -n 1 "$work/out")"
	done
	# The short way to know that nothing faults and the long one agree.
	for program in "ls /" "sort /etc/passwd" "perl -e \$a[\$_]=\$_*3for(0..2000)" "sh -c ls|wc"; do
		in_turn 0 || continue
		for chaos in 0 256; do
			"$SOFTPMU" run --tier 2 --chaos $chaos "$perf" stat -x, -o "$work/inner" -e page-faults $program >/dev/null
			eval "faults$chaos=\$(inner page-faults)"
		done
		[ "${faults0:-0}" -gt 20 ] && [ "$faults0" = "$faults256" ] && ok || bad "page faults of $program: $faults0, the long way $faults256"
	done
	# Every page fault and every wait is a sample: as many as perf stat counts, but that perf record gives its program one
	# variable more, which lies in a page of its own.
	for event in page-faults context-switches; do
		program="$work/hot 1000"
		[ $event = page-faults ] || program="sleep 0.01"
		"$SOFTPMU" run --tier 2 env DEBUGINFOD_URLS= "$perf" stat -x, -o "$work/inner" -e $event $program >/dev/null
		"$SOFTPMU" run --tier 2 "$perf" record -d -e $event -c 1 -o "$work/data" $program >"$work/out" 2>&1
		n=$(samples "$perf" "$work/data" ip,addr | wc -l)
		[ "$n" -gt 0 ] && [ "$n" = "$(inner $event)" ] && ok || bad "perf record -e $event: $n samples of $(inner $event)"
	done
	"$SOFTPMU" run "$perf" record -o "$work/data" "$work/hot" 100000 >"$work/out" 2>&1
	"$perf" report -i "$work/data" --stdio 2>/dev/null | grep -q '\] three' && ok || bad "perf record of clocks: $(tail -n 1 "$work/out")"
else
	skip "perf: not here"
fi

# A reader that goes away early: the program and then softpmu meet a closed pipe.
"$SOFTPMU" run --tier 2 sh -c 'cat /proc/sys/kernel/perf_event_paranoid; exec yes' 2>&1 | head -n 1 >"$work/out"
[ "$(cat "$work/out")" = 2 ] && ok || bad "perf_event_paranoid is $(cat "$work/out")"
# nothing_left WHAT
nothing_left() {
	for turn in $(seq 4500); do
		[ -z "$(ls "$TMPDIR")" ] && break # softpmu ends after its reader
		sleep 0.2
	done
	[ -z "$(ls "$TMPDIR")" ] && ok || bad "$1: files stay behind: $(ls "$TMPDIR" | tr '\n' ' ')"
}
nothing_left "a closed pipe"
"$SOFTPMU" run --tier 2 sh -c 'cat /proc/sys/kernel/perf_event_paranoid; exec sleep 100' >"$work/killed" 2>&1 &
for turn in $(seq 4500); do
	[ -s "$work/killed" ] && break
	sleep 0.2
done
[ -n "$(ls "$TMPDIR")" ] && ok || bad "no files for /sys in $TMPDIR"
kill -KILL $!
wait $! 2>/dev/null
nothing_left "a run that is killed"
finish
