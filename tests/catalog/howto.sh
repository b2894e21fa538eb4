#!/bin/bash
# howto.sh -- the worked examples of docs/HOWTO_*.md, done as they stand there.
#
# docs/howto/*.diff apply to the tree as it is, and what they change compiles. In make check-all each is also built in a copy of it, and does what its HOWTO says: events and
# units of the P6 and the P5 count what their program predicts, with the model's short cuts and without (with need `-` of their wire they are
# <not modelled>); the processor, the exporter, the command, the lesson and the system call are there.
set -u
. "$(dirname "$0")/../lib.sh"

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

# The files of C that the diff changes compile: they lie in front of the tree's, with tables of the changed catalog.
compiles() {
	local file over=$work/over
	rm -rf "$over"
	mkdir -p "$over/gen"
	cp -a --parents catalog $(sed -n 's|^--- a/||p' "$diff") "$over" && patch -s -p1 -d "$over" <"$diff" &&
		"$BUILD/tools/gencat" "$over/catalog" "$over/gen" >"$work/cc" 2>&1 || { bad "$diff: $(head -n 1 "$work/cc")"; return; }
	for file in $(sed -n 's|^+++ b/\(src/.*\.c\)$|\1|p' "$diff"); do
		${CC:-cc} -std=c11 -D_GNU_SOURCE -I"$over/src" -I"$over" -Isrc -Iinclude -I"$BUILD" -fsyntax-only "$over/$file" 2>"$work/cc" ||
			{ bad "$diff: $(grep -m 1 error "$work/cc" | sed "s|$over/||")"; return; }
	done
	ok
}

# prepare NAME: docs/howto/NAME.diff applies and compiles. In make check-all goes to a copy of the tree that has it and returns 0.
prepare() {
	diff=docs/howto/$1.diff
	if ! patch -s -p1 -F0 --dry-run <"$diff" >"$work/patch" 2>&1; then
		bad "$diff does not apply: $(head -n 1 "$work/patch")"
		return 1
	fi
	ok
	compiles
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
	local got need
	prepare "$1" || return
	need=$(awk -F'\t' -v w="$5" '$1 == w { print $4 }' catalog/p[56]/wires.tsv)
	sed -i "s/^\($5\t[0-9]\tevent\t\)[a-z]*/\1-/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	same "a wire with need -" '<not modelled>' "$got"
	sed -i "s/^\($5\t[0-9]\tevent\t\)-/\1$need/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	[ "$got" -ge "$6" ] 2>/dev/null && ok || bad "$diff: $3 is $got, less than $6" # padding in front of the loop may add some
	SOFTPMU=$PWD/$BUILD/softpmu tests/model/run.sh "$4" >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/run")"
	SOFTPMU=$PWD/$BUILD/softpmu tests/model/paths.sh "$4" >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/run")"
	house
	cd "$OLDPWD" || exit 1
}

# lines CPU: what stat counts of /bin/true, without clocks and with them
lines() {
	"$BUILD/softpmu" stat --cpu "$1" --env clean -x, -e "$2" -- true 2>&1 | cut -d, -f1
}

# figures CPU: all that is set per processor beside its row
figures() { "$BUILD/softpmu" list figures --cpu "$1" | grep -E '^  [a-z0-9_]+_clk '; }

# A processor with the geometry of another one, but with a faster core: the same lines come in, in more clocks.
processor() {
	prepare processor_p6 || return
	if build; then
		same "its core clock" "core 500 MHz" "$("$BUILD/softpmu" explain celeron-mendocino-500 | grep -o 'core [0-9]* MHz')"
		same "its figures" "$(figures celeron-mendocino)" "$(figures celeron-mendocino-500)"
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
		same "its line of help" 1 "$("$BUILD/softpmu" stat --help-all | grep -c -e '--markdown  *tables of Markdown')"
	fi
	house
	cd "$OLDPWD" || exit 1
}

# The command and its option are there, and of the golden tests only those change that list all commands.
command() {
	local top=$PWD changed
	prepare command || return
	if build; then
		cp tests/cli/caches.out "$work/caches.out"
		REBASE=1 SOFTPMU=$PWD/$BUILD/softpmu tests/cli/run.sh >"$work/run" 2>&1
		cmp -s tests/cli/caches.out "$work/caches.out" && ok || bad "$diff: $(head -n 3 tests/cli/caches.out)"
		changed=$(cd tests/cli && for out in *.out; do cmp -s "$out" "$top/tests/cli/$out" || echo "${out%.out}"; done)
		same "golden tests that change" "caches completion_words help man_install no_command" "$(echo $changed)"
		same "its page" 1 "$(grep -c 'list the caches of a processor' "$BUILD/man/softpmu-caches.1")"
	fi
	house
	cd "$OLDPWD" || exit 1
}

# The lesson that HOWTO_LESSON.md shows, as the next one: all its claims hold on its processors.
lesson() {
	local next
	diff=docs/HOWTO_LESSON.md
	[ "${CHECK_LEVEL:-}" = all ] || return
	rm -rf "$work/tree"
	copy && cd "$work/tree" || { bad "$diff: no copy"; return; }
	next=$(($(ls src/lab/lessons/*.lesson | wc -l) + 1))
	sed -n '/^    title: /,/^$/s/^    //p' "$diff" >"src/lab/lessons/$(printf %02d $next)-howto.lesson"
	if build; then
		"$BUILD/softpmu" lab $next --check >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 3 "$work/run")"
		same "its title" 1 "$("$BUILD/softpmu" lab | grep -c "^ *$next .*How many references does an assignment make")"
	fi
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
example unit_p6 pentium3 DRAM_ROW_HITS tests/model/dram_rows.S dram.row_hit 99
example unit_p5 pentium PAUSES tests/model/p5_hint_pause.S hint.pause 200
processor
exporter
command
lesson
system_call
finish
