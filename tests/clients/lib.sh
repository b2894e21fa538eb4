# lib.sh -- for tests of unmodified clients. Sourced first; brings tests/engine/lib.sh.
. "$(dirname "$0")/../engine/lib.sh"
clients=$PWD/tests/clients
papi=$PWD/$BUILD/clients # where fetch.sh unpacks
root=$papi/root
mkdir -p "$papi"
ulimit -c 0
export HOME=$work

# What starts a 32-bit program of $root with the libraries there: put it before the program.
loader="$root/lib/ld-linux.so.2 --library-path $root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu"

# inside OPTIONS -- PROGRAM ARGS: a 32-bit program of $root, which measures itself
inside() {
	local options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	timeout 900 "$SOFTPMU" run $options $loader "$@"
}

# outside OPTIONS -- PROGRAM ARGS: the same, while softpmu counts it, too; the lines of stat -x, go to $work/outside
outside() {
	local options=
	while [ "$1" != -- ]; do options="$options $1"; shift; done
	shift
	timeout 900 "$SOFTPMU" stat -x, -o "$work/outside" $options $loader "$@"
}

# samples PERF DATA FIELDS: the samples of a file of perf record's, one per line.
samples() { $1 script -i "$2" --ns -F "time,$3" 2>/dev/null | sort; }

# part NAME: percent of samples on standard input with that last word
part() { awk -v n="$1" '$NF == n { k++ } END { print NR ? int(100 * k / NR + 0.5) : "nothing" }'; }

# within WHAT NUMBER LOW HIGH
within() {
	[ -n "$2" ] && [ "$2" -ge "$3" ] 2>/dev/null && [ "$2" -le "$4" ] && ok || bad "$1: ${2:-nothing}, not $3 to $4"
}

# cc32 OPTIONS: compile for 32 bits, against $root
cc32() {
	$CC -m32 -O1 -w -I"$root/usr/include" -I"$root/usr/include/i386-linux-gnu" "$@" -L"$root/usr/lib/i386-linux-gnu" \
		-Wl,-rpath-link,"$root/usr/lib/i386-linux-gnu" 2>"$work/err"
}
