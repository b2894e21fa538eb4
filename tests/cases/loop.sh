# loop.sh -- sourced by gmp.sh and openssl.sh: clocks of a routine of a library, best of several starts.
#
# METHOD  A program calls the routine CALLS times. It is built for each start: the code begins START * 8 bytes behind a line or more,
#         as it is aligned, and the data lie at other places in a chunk of 8 bytes. The start that takes least counts, as in GMP's program speed.
# STARTS  how many starts there are (2 unless set)
# LOOPS   a folder that keeps the programs for the next run; none unless set
#
# The script sets: cpu; work (lib.sh); loop, a name for files; settings, options for softpmu stat; $work/main.S; and text(), which
# writes the routine into $work/routine.S.

STARTS=${STARTS:-2}

cannot() { echo "$(basename "$0"): $*; the case is skipped" >&2; exit 1; }

# object START: compiles it
object() {
	[ -s "$work/routine.S" ] || text
	cat "$work/main.S" "$work/routine.S" >"$work/program.S"
	${CC:-cc} -m32 -c -DSTART="$1" -o "$work/start-$1.o" "$work/program.S" 2>"$work/cc" || cannot "$(tail -n 1 "$work/cc")"
}

# program START SIZE CALLS: builds it; its path is in $path
program() {
	path=${LOOPS:-$work}/$loop-$1-$2-$3
	[ -x "$path" ] && return
	[ -s "$work/start-$1.o" ] || object "$1"
	ld -m elf_i386 -static -z noexecstack --defsym SIZE="$2" --defsym CALLS="$3" -o "$work/new" "$work/start-$1.o" 2>"$work/cc" &&
		mv "$work/new" "$path" || cannot "$(tail -n 1 "$work/cc")"
}

# clocks START SIZE CALLS: in $got
clocks() {
	program "$@"
	# shellcheck disable=SC2086
	got=$("$SOFTPMU" stat --cpu "$cpu" $settings -x, -e cycles "$path" 2>&1 | cut -d, -f1 | grep -E '^[0-9]+$') ||
		cannot "softpmu counts no cycles"
}
