#!/bin/bash
# pentium.sh -- whole programs on the P5: the loop counts what the plain model counts, the tiers agree, and
# what both families define alike has the count of the P6.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 700 >"$work/text"

counts=instructions_executed,branches,taken_branches,returns,flops,emms_instructions_executed
memory=data_read,data_write,data_read_miss,data_write_miss,data_tlb_miss,write_hit_to_m-_or_e-state_lines
memory=$memory,data_cache_lines_written_back,locked_bus_cycle,any_segment_register_loaded
memory=$memory,misaligned_data_memory_or_i/o_references,transitions_between_mmx_and_fp_instructions

# stat_run OUT EVENTS OPTIONS... -- PROGRAM...: lines "event,count" in OUT
stat_run() {
	local out=$1 events=$2
	shift 2
	timeout 900 "$SOFTPMU" stat -x, -e "$events" -o "$out.all" "$@" >/dev/null 2>"$out.err" </dev/null ||
		{ bad "$*: $(head -n 1 "$out.err")"; return 1; }
	grep -v '^#' "$out.all" | awk -F, '{ print tolower($3) "," $1 }' >"$out"
}

same() {
	cmp -s "$2" "$3" && ok || bad "$1: $(diff "$2" "$3" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
}

check() {
	local name=$1 cpu mode
	shift
	for cpu in pentium pentium-mmx; do
		local c=$counts m=$memory
		[ $cpu = pentium ] && c=${c/taken_branches,returns,/} && c=${c/,emms*/} && m=${m/,transitions*/}
		stat_run "$work/two" "$c,$m" --cpu $cpu -- "$@" || return
		stat_run "$work/one" "$c" --cpu $cpu -- "$@" || return
		head -n "$(wc -l <"$work/one")" "$work/two" >"$work/head"
		same "$name on $cpu, tiers 1 and 2" "$work/one" "$work/head"
		stat_run "$work/timed" "$c,$m,code_read" --cpu $cpu -- "$@" &&
			same "$name on $cpu, without clocks and with them" "$work/two" <(grep -v '^code_read' "$work/timed")
		for mode in 4 16 32 64 256; do
			stat_run "$work/chaos" "$c,$m" --cpu $cpu --chaos $mode -- "$@" &&
				same "$name on $cpu, chaos $mode" "$work/two" "$work/chaos"
		done
	done
}

check sort "$work/prog" sort 40
check strings "$work/prog" strings 20
check calls "$work/prog" calls 9
check x87 "$work/prog" x87 100
check gzip /bin/gzip -c "$work/text"

for w in sort strings calls; do
	stat_run "$work/p5" instructions_executed,taken_branches --cpu pentium-mmx -- "$work/prog" $w &&
		stat_run "$work/p6" inst_retired,br_taken_retired --cpu pentium3 -- "$work/prog" $w &&
		same "$w: instructions and taken branches of P5 and P6" <(cut -d, -f2 "$work/p5") <(cut -d, -f2 "$work/p6")
done
finish
