#!/bin/bash
# howto.sh -- the worked examples of docs/HOWTO_*.md, done as they stand there.
#
# docs/howto/*.diff apply to the tree as it is. In make check-all each is also built in a copy of it, and does what its HOWTO says: events and
# units of the P6 and the P5 count what their program predicts, with the model's short cuts and without (with need `-` of their wire they are
# <not modelled>); the processor, the exporter and the system call are there.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAILED $*"; }

# copy: the tree with what is built of it, as it is
copy() {
	mkdir "$work/tree"
	git ls-files -z --cached --others --exclude-standard | xargs -0 cp -a --parents -t "$work/tree" &&
		mkdir -p "$work/tree/$BUILD" && cp -a "$BUILD/." "$work/tree/$BUILD"
}

build() {
	make -s BUILD="$BUILD" "$BUILD/softpmu" man >"$work/make" 2>&1 && return
	bad "$diff: $(grep -m 1 -E 'error|:[0-9]+:' "$work/make")"
	return 1
}

# prepare NAME: docs/howto/NAME.diff applies. In make check-all goes to a copy of the tree that has it and returns 0.
prepare() {
	diff=docs/howto/$1.diff
	if ! patch -s -p1 --dry-run <"$diff" >"$work/patch" 2>&1; then
		bad "$diff does not apply: $(head -n 1 "$work/patch")"
		return 1
	fi
	ok
	[ "${CHECK_LEVEL:-}" = all ] || return 1
	rm -rf "$work/tree"
	copy && cd "$work/tree" && patch -s -p1 <"$OLDPWD/$diff" && return
	bad "$diff: no copy"
	return 1
}

# same WHAT EXPECTED GOT
same() {
	[ "$2" = "$3" ] && ok || bad "$diff: $1 is '$3', not '$2'"
}

house() {
	tools/check-layers.sh names >"$work/names" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/names")"
	awk -f tools/check-docs.awk docs/*.md >"$work/docs" && [ ! -s "$work/docs" ] && ok || bad "$diff: $(head -n 1 "$work/docs")"
}

# softpmu stat of the example's program: build_and_count CPU EVENT PROGRAM.S
build_and_count() {
	build || return 1
	${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Itests/model -DN=100 -o "$work/program" "$3" || return 1
	"$BUILD/softpmu" stat --cpu "$1" -x, -e "$2" -- "$work/program" 2>&1 | cut -d, -f1
}

# example DIFF CPU EVENT PROGRAM.S WIRE COUNT
example() {
	local got
	prepare "$1" || return
	sed -i "s/^\($5\t[0-9]\tevent\t\)[a-z]*/\1-/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	same "a wire with need -" '<not modelled>' "$got"
	sed -i "s/^\($5\t[0-9]\tevent\t\)-/\1counts/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	[ "$got" -ge "$6" ] 2>/dev/null && ok || bad "$diff: $3 is $got, less than $6" # padding in front of the loop may add some
	SOFTPMU=$PWD/$BUILD/softpmu tests/model/run.sh "$4" >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/run")"
	house
	cd "$OLDPWD" || exit 1
}

# lines CPU: what stat counts of /bin/true, without clocks and with them
lines() {
	"$BUILD/softpmu" stat --cpu "$1" --env clean -x, -e "$2" -- true 2>&1 | cut -d, -f1
}

# A processor with the geometry of another one, but with a faster core: the same lines come in, in more clocks.
processor() {
	prepare processor_p6 || return
	if build; then
		same "its core clock" "core 500 MHz" "$("$BUILD/softpmu" explain celeron-mendocino-500 | grep -o 'core [0-9]* MHz')"
		same "lines of L1D" "$(lines celeron-mendocino dcu_lines_in)" "$(lines celeron-mendocino-500 dcu_lines_in)"
		[ "$(lines celeron-mendocino-500 cycles)" -gt "$(lines celeron-mendocino cycles)" ] && ok ||
			bad "$diff: memory is not further away"
	fi
	house
	cd "$OLDPWD" || exit 1
}

exporter() {
	prepare exporter || return
	if build; then
		SOFTPMU=$PWD/$BUILD/softpmu tests/cli/run.sh >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/run")"
		same "its line of help" 1 "$("$BUILD/softpmu" stat --help-all | grep -c -e '--markdown  *a table in Markdown')"
	fi
	house
	cd "$OLDPWD" || exit 1
}

# The call is there in programs of both widths where the compiler makes them, and the table of calls says so.
system_call() {
	prepare syscall || return
	if build; then
		${CC:-cc} -o "$work/program" tests/engine/doubled.c
		same "what the program prints" "42 -1 EINVAL" "$("$BUILD/softpmu" stat -o /dev/null -e inst_retired -- "$work/program")"
		${CC:-cc} -m32 -o "$work/program" tests/engine/doubled.c 2>"$work/cc" &&
			same "what a 32-bit program prints" "42 -1 EINVAL" \
				"$("$BUILD/softpmu" stat -o /dev/null -e inst_retired -- "$work/program")"
		same "its row" "| 236 | vserver | emulated |" "$(tools/syscall-table.sh | grep vserver)"
	fi
	house
	cd "$OLDPWD" || exit 1
}

example event_p6 pentium3 NOPS_RETIRED tests/model/retire_nop.S retire.nop 300
example event_p5 pentium NOPS_EXECUTED tests/model/p5_nop.S core.nop 200
example unit_p6 pentium3 PAUSES tests/model/hint_pause.S hint.pause 200
example unit_p5 pentium PAUSES tests/model/p5_hint_pause.S hint.pause 200
processor
exporter
system_call
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
