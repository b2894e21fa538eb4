#!/bin/bash
# run.sh -- run programs natively and under softpmu; output and exit status must be the same.
#
#   tests/engine/run.sh [NAME...]      programs/NAME.c; without a name all of them
#
# Each program in programs/ is built static and dynamic, and counted in both tiers: as plain counts (-e instructions)
# and as a record stream (-e dcu_lines_in), fp_*.c also with operand classes. ends.c is run once per kind of end;
# wide_vectors.c and fp_pc.c are run at every ISA level that the host has. A run of more than 900 seconds has failed. Last line:
# "N passed, N failed".
. "$(dirname "$0")/../lib.sh"
need_softpmu
HERE=tests/engine/programs
WORK=$BUILD/tests/engine
CC=${CC:-cc}
mkdir -p "$WORK"
[ $# -gt 0 ] || set -- $(basename -s .c "$HERE"/*.c)

# options of softpmu for the next runs
options=

# same NAME PROGRAM ARGS...: native against counted
same()
{
	name=$1
	shift
	timeout -k 5 900 "$@" >"$WORK/native.out" 2>/dev/null
	native=$?
	events="instructions dcu_lines_in"
	case $name in fp_*) events="$events fp_assist cycles@pentium-mmx" ;; esac
	for event in $events; do
		cpu=pentium3
		case $event in *@*) cpu=${event#*@} ;; esac
		timeout -k 5 900 "$SOFTPMU" stat $options --cpu $cpu -e "${event%@*}" -o "$WORK/stat.txt" -- "$@" >"$WORK/counted.out" 2>"$WORK/counted.err"
		counted=$?
		if [ $native -eq $counted ] && cmp -s "$WORK/native.out" "$WORK/counted.out"; then
			ok
			continue
		fi
		# A program that fails its own checks natively says nothing: this machine's kernel or hypervisor is not as others.
		if [ $native -ne 0 ] && [ $counted -eq 0 ] && tail -n 1 "$WORK/counted.out" | grep -q ' checks, 0 failed'; then
			skip "$name ($event): natively it fails its own checks here (status $native)"
			continue
		fi
		bad "$name ($event): status $native natively, $counted under softpmu"
		diff "$WORK/native.out" "$WORK/counted.out" | head -5
		head -3 "$WORK/counted.err"
	done
}

for base; do
	source=$HERE/$base.c
	for kind in dynamic static no-pie; do
		flags=
		[ $kind = static ] && flags=-static
		[ $kind = no-pie ] && flags=-no-pie
		program=$WORK/$base-$kind
		if ! "$CC" -O1 -g $flags -o "$program" "$source" 2>"$WORK/cc.err"; then
			bad "$base ($kind): does not compile"
			head -3 "$WORK/cc.err"
			continue
		fi
		if [ "$base" = ends ]; then
			for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
				[ $kind = dynamic ] && same "ends-$kind $n" "$program" $n
			done
		elif [ "$base" = wide_vectors ] || [ "$base" = fp_pc ]; then
			for level in v1 v2 v3 v4; do
				"$SOFTPMU" stat --isa $level -o "$WORK/stat.txt" -- true 2>/dev/null || continue
				options="--isa $level"
				same "$base-$kind $level" "$program"
			done
			options=
		else
			same "$base-$kind" "$program" one "two words" ""
		fi
	done
done
finish
