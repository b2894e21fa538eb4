#!/bin/bash
# chaos.sh -- rare paths made common (softpmu stat --chaos, src/trace/share.h): the output of a program
# stays, and so does every count, whatever is set.
#
# Of the modes, blocks of one instruction change which blocks exist, so that the model's per-block short
# cuts are taken in other places; forgetting, small chunks and signals cut the stream elsewhere.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

tool fuzz_insn || exit 1
bare "$work/prog" "$src/static_prog.c" || exit 1
"$work/fuzz_insn" -s 77 -n 300 >"$work/cases.S" &&
	bare "$work/fuzz" -mgeneral-regs-only -Wl,--defsym=arena_low=0x2000f00 "$src/fuzz_main.c" "$work/cases.S" || exit 1
seq 1 700 >"$work/text"

events1=inst_retired,uops_retired,br_inst_retired,br_taken_retired
events2=$events1,data_mem_refs,dcu_lines_in,l2_lines_in,itlb_miss,ifu_ifetch_miss,br_miss_pred_retired,bus_tran_mem

# no table, one page, one instruction, nothing ahead, forget, small chunks, signals, a model without short
# cuts, a model without host code, areas 4 GiB higher; and some together
modes="1 2 4 8 16 32 64 256 512 16384 63 127"

check() {
	local name=$1 mode events tier out
	shift
	for tier in 1 2; do
		[ $tier = 1 ] && events=$events1 || events=$events2
		# By timeout as below: the shell tells programs in $_ who runs them, and some read it.
		timeout 900 "$SOFTPMU" stat -x, -e $events -o "$work/plain" -- "$@" >"$work/plain.out" 2>/dev/null </dev/null
		echo "status $?" >>"$work/plain.out"
		for mode in $modes; do
			# Small chunks and short cuts are about records; tier 1 has none.
			[ $tier = 1 ] && [ $mode = 32 -o $mode = 256 -o $mode = 512 ] && continue
			timeout 900 "$SOFTPMU" stat -x, -e $events --chaos $mode -o "$work/chaos" -- "$@" \
				>"$work/chaos.out" 2>"$work/err" </dev/null
			echo "status $?" >>"$work/chaos.out"
			if ! cmp -s "$work/plain.out" "$work/chaos.out"; then
				bad "$name, tier $tier, chaos $mode: output or status differs: $(tail -n 1 "$work/chaos.out") $(head -n 1 "$work/err")"
				continue
			fi
			out=$(diff <(cut -d, -f1,3 "$work/plain" | grep -v '^#') <(cut -d, -f1,3 "$work/chaos" | grep -v '^#') |
				grep '^[<>]' | head -n 6 | tr '\n' ' ')
			[ -z "$out" ] && ok || bad "$name, tier $tier, chaos $mode: $out"
		done
	done
}

check sort "$work/prog" sort 40
check interp "$work/prog" interp 400
check strings "$work/prog" strings 20
check calls "$work/prog" calls 9
check x87 "$work/prog" x87 100
check fuzz "$work/fuzz"
if bare "$work/prog32" -m32 -msse -mfpmath=387 "$src/static_prog.c" -lgcc 2>/dev/null; then
	check sort-32 "$work/prog32" sort 40
	check strings-32 "$work/prog32" strings 20
	check x87-32 "$work/prog32" x87 60
else
	skip "32-bit programs: $CC -m32 does not work here"
fi
# Programs with libc: forgetting blocks of one instruction takes minutes.
modes="1 2 4 8 16 32 64 2048"
check gzip /bin/gzip -c "$work/text"
check mawk /usr/bin/mawk 'BEGIN { for (i = 0; i < 200; i++) s += i * i % 7; print s }'
if [ "$CHECK_LEVEL" = all ]; then
	check sort-u /usr/bin/sort -u "$work/text"
	check sqlite3 /usr/bin/sqlite3 :memory: "create table t(a, b); insert into t values (1, 'x'), (2, 'y'); select sum(a), group_concat(b) from t;"
	modes="1 2 4 8 16 32 64 256 512"
	check python3 /usr/bin/python3 -I -S -c 'print(sum(i * i % 7 for i in range(3000)))'
	check perl /usr/bin/perl -e 'my %h; $h{$_ % 7} += $_ for 1 .. 2000; print join(",", map { $h{$_} } sort keys %h), "\n"'
fi
finish
