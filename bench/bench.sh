#!/bin/bash
# bench.sh [-o FILE] -- how fast softpmu is beside native execution and Cachegrind, all in one run.
#
# BENCH_N      rounds (default 5); medians of the ratios of each round
# BENCH_ROWS   which rows: programs one_core p5 p6 sampled true cc1 i386 threads gcc jit reads idle record l1d
#              stacks clocks slots memory traces (default all)
# BENCH_ONLY   which programs (default all eight)
# I386_DIR     where 32-bit packages are unpacked (default build/i386)
# Every round runs native, tier 1, tier 2 and Cachegrind of one program in turn, so that a noisy machine
# slows all of them alike. -o also writes the table, with the machine, to FILE (bench/RESULTS.md).
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build/release}
softpmu=$PWD/$BUILD/softpmu
n=${BENCH_N:-5}
rows=" ${BENCH_ROWS:-programs one_core p5 p6 sampled true cc1 i386 threads gcc jit reads idle record l1d stacks clocks slots memory traces} "
record=
[ "${1:-}" = -o ] && record=$2
export LC_ALL=C PATH=/usr/bin:/bin
unset PYTHONPATH LUA_INIT || true
export OMP_NUM_THREADS=2

tools/install-deps.sh bench
dir=$PWD/build/bench
src=$PWD/bench/programs
mkdir -p "$dir"
if [ ! -f "$dir/in/.made" ] || [ bench/inputs.sh -nt "$dir/in/.made" ]; then
	rm -rf "$dir/in"
	bench/inputs.sh "$dir/in"
	touch "$dir/in/.made"
fi
[ "$dir/race" -nt bench/race.c ] || gcc -O2 -D_GNU_SOURCE -o "$dir/race" bench/race.c
: >"$dir/raw.tsv"
cd "$dir/in"

cc1=$(gcc -print-prog-name=cc1)
# Debian's i386 programs, run by their own ld.so.
i386=${I386_DIR:-$dir/../i386}
root=$i386/root
so32="$root/lib/ld-linux.so.2 --library-path $root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu"
declare -A cmd=(
	[gzip]="gzip -9 -c text"
	[xz]="xz -T1 -6 -c small"
	[lua]="lua5.4 $src/work.lua"
	[sqlite3]="sqlite3 -batch -init $src/work.sql :memory: .quit"
	[python3]="/usr/bin/python3 -I $src/work.py"
	[cc1]="$cc1 -quiet -O2 small.i -o /dev/null"
	[sort]="sort --parallel=1 lines"
	[matrix]="./matrix 500"
	[true]="/bin/true"
	[cc1-10k]="$cc1 -quiet -O2 large.i -o /dev/null"
	[gzip-i386]="$so32 $root/bin/gzip -9 -c text"
	[lua-i386]="$so32 $root/usr/bin/lua5.4 $src/work.lua"
	[sqlite3-i386]="$so32 $root/usr/bin/sqlite3 -batch -init $src/work.sql :memory: .quit"
	[matrix-omp]="./matrix-omp 500"
	[xz-T2]="xz -T2 --block-size=100KiB -6 -c small"
	[sort-2]="sort --parallel=2 lines"
	[gcc]="gcc -O2 -c hello.c -o /dev/null"
	[lua5.4]="lua5.4 $src/work.lua 2400000" # these three: a few seconds natively
	[node]="node $src/work.js 4000000"
	[java]="java -cp . Work 12000000"
	[java-start]="java -cp . Work 1500000" # half a second: mostly its start and its compilers
	[rdpmc]="./reads rdpmc 1000000"
	[read]="./reads read 1000000"
)
programs="${BENCH_ONLY:-gzip xz lua sqlite3 python3 cc1 sort matrix}"
# What runs a program; an entrant of a race is one of these keys, with ! when its memory is asked for.
# Cachegrind follows children, of which only gcc has any.
grind="valgrind -q --trace-children=yes --cache-sim=yes --branch-sim=yes"
sixteen=$(for size in 4 8 16 32; do printf "${size}K:%s," 1 2 4 8; done)
declare -A with=(
	[native]=
	[default]="$softpmu stat -o /dev/null --"
	[tier1]="$softpmu stat -e instructions,branches -o /dev/null --"
	[tier2]="$softpmu stat --all --tier 2 -o /dev/null --"
	[p5]="$softpmu stat --cpu pentium --all -o /dev/null --" # these three: with clocks
	[p55c]="$softpmu stat --cpu pentium-mmx --all -o /dev/null --"
	[p6]="$softpmu stat --cpu pentium3 --all -o /dev/null --"
	[sampled]="$softpmu stat --cpu pentium3 --all --clocks sampled -o /dev/null --"
	[record]="$softpmu record -q -o $dir/record.rec --" # the events of default
	[record1]="$softpmu record -q -e instructions -o $dir/record.rec --"
	[stat1]="$softpmu stat -e instructions -o /dev/null --"
	[record_l1d]="$softpmu record -q --l1d 48K:12:64 -o $dir/record.rec --"
	[stat_l1d]="$softpmu stat --l1d 48K:12:64 -o /dev/null --"
	[stacks]="$softpmu record -q --stacks on -o $dir/record.rec --" # call paths
	[record_p6]="$softpmu record -q --cpu pentium3 -e cycles,instructions -o $dir/record.rec --"
	[stat_p6]="$softpmu stat --cpu pentium3 -e cycles,instructions -o /dev/null --"
	[record_p5]="$softpmu record -q --cpu pentium -e cycles,instructions -o $dir/record.rec --"
	[stat_p5]="$softpmu stat --cpu pentium -e cycles,instructions -o /dev/null --"
	[record_slots]="$softpmu record -q --cpu pentium3 -M cpi-stack -o $dir/record.rec --"
	[stat_slots]="$softpmu stat --cpu pentium3 -M cpi-stack -o /dev/null --"
	[trace]="$softpmu trace -q -o $dir/trace.spt --" # those below it count from this
	[replay2]="$src/../instead.sh $softpmu replay --all --tier 2 -o /dev/null $dir/trace.spt --"
	[replay_p6]="$src/../instead.sh $softpmu replay --cpu pentium3 -e cycles,instructions -o /dev/null $dir/trace.spt --"
	[grid]="$src/../instead.sh $softpmu replay --l1d ${sixteen%,} -e dcu_lines_in -o /dev/null $dir/trace.spt --"
	[stat_16k]="$softpmu stat --l1d 16K:2 -e dcu_lines_in -o /dev/null --" # one of them
	[none]="$softpmu run --tier 1 --" # no PMU for the program
	[run]="$softpmu run --" # one that the program does not open
	[run2]="$softpmu run --tier 2 --"
	[run55c]="$softpmu run --cpu pentium-mmx --" # with clocks
	[grind]="$grind --tool=cachegrind --cachegrind-out-file=/dev/null"
	[callgrind]="$grind --tool=callgrind --callgrind-out-file=/dev/null"
	[calls]="valgrind -q --trace-children=yes --tool=callgrind --callgrind-out-file=/dev/null" # and nothing else
)

# race ROUNDS ROW PROGRAM ENTRANT...: appends "row program entrant round wall cpu status" to raw.tsv. $under, when
# set, is a command that starts each of them.
race() {
	local rounds=$1 row=$2 p=$3 e
	shift 3
	echo "  $row $p ..." >&2
	for e; do
		printf '%s' "$e"
		printf '\t%s' ${under:-} ${with[${e%!}]} ${cmd[$p]}
		printf '\n'
	done | "$dir/race" "$rounds" /dev/null | awk -F'\t' -v row="$row" -v prog="$p" -v OFS='\t' '{ print row, prog, $0 }' >>"$dir/raw.tsv"
}

wants() { case $rows in *" $1 "*) return 0 ;; esac; return 1; }

if wants programs; then
	for p in $programs; do race "$n" programs "$p" native tier1 tier2 grind; done
fi
if wants p5; then
	for p in $programs; do
		race "$n" p5 "$p" p5 p55c grind
		race 1 memory "$p" 'p55c!'
	done
fi
if wants one_core; then
	for p in $programs; do under="taskset -c 0" race "$n" one_core "$p" tier2 grind; done
fi
if wants p6; then
	for p in $programs; do
		race "$n" p6 "$p" p6 grind callgrind
		race 1 p6memory "$p" 'p6!'
	done
fi
if wants sampled; then
	for p in $programs; do race "$n" sampled "$p" sampled tier2 grind; done
fi
if wants "true"; then
	race $((n * 3)) true true native default grind
fi
if wants cc1; then
	race "$n" cc1 cc1-10k native tier2 grind
fi
if wants i386; then
	if "$dir/../../tools/fetch-i386.sh" "$i386" gzip lua5.4 sqlite3 libc6 libgcc-s1 libreadline8 libtinfo6 libsqlite3-0 zlib1g &&
		$so32 "$root/bin/gzip" --version >/dev/null; then
		for p in gzip lua sqlite3; do race "$n" i386 $p-i386 native tier1 tier2 grind; done
	else
		echo "  no i386 programs: their rows are left out" >&2
	fi
fi
if wants threads; then
	for p in matrix-omp xz-T2 sort-2; do race "$n" threads $p native tier1 tier2 grind; done
fi
if wants gcc; then
	race "$n" gcc gcc native tier1 tier2 grind
fi
if wants jit; then
	for p in lua5.4 node java java-start; do
		if ! command -v ${cmd[$p]%% *} >/dev/null || { [[ $p = java* ]] && [ ! -f Work.class ]; }; then
			echo "  $p is not installed: its row is left out" >&2
			continue
		fi
		race "$n" jit "$p" native tier1 tier2
	done
fi
if wants reads; then
	for p in rdpmc read; do race "$n" reads $p run2 run run55c; done
fi
if wants idle; then
	for p in $programs; do race "$n" idle "$p" none run; done
fi
if wants record; then
	for p in $programs; do
		race "$n" record "$p" default record stat1 record1
		race 1 memory "$p" 'default!' 'record!'
	done
fi
if wants l1d; then
	for p in $programs; do race "$n" l1d "$p" stat_l1d record_l1d; done
fi
if wants stacks; then
	for p in $programs; do race "$n" stacks "$p" stacks calls callgrind; done
fi
if wants clocks; then
	for p in $programs; do race "$n" clocks "$p" stat_p6 record_p6 stat_p5 record_p5; done
fi
if wants slots; then
	for p in $programs; do race "$n" slots "$p" stat_slots record_slots; done
fi
if wants memory; then
	for p in $programs cc1-10k; do race 1 memory "$p" 'tier2!'; done
fi
if wants traces; then
	for p in $programs; do
		race "$n" traces "$p" tier2 trace replay2 stat_p6 replay_p6 stat_16k grid
		insns=$("$softpmu" trace --info "$dir/trace.spt" | awk '$1 == "run:" { print $2 }')
		printf 'traces\t%s\tbytes!\t%s\n' "$p" "$(awk -v b="$(stat -c %s "$dir/trace.spt")" -v i="$insns" 'BEGIN { print b / i }')" >>"$dir/raw.tsv"
	done
fi

cd "$dir/../.."
bench/table.sh "$dir/raw.tsv" | tee "$dir/table.md"
if [ -n "$record" ]; then
	{
		echo "# Speed"
		echo
		echo "Written by \`make bench-record\` on $(date -u +%F); $n rounds."
		echo
		echo "Machine: $(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo), $(nproc) processors," \
			"$(systemd-detect-virt 2>/dev/null || echo unknown virtualisation), Linux $(uname -r)," \
			"$(gcc --version | head -n 1), $(valgrind --version)."
		echo
		cat "$dir/table.md"
	} >"$record"
fi
