#!/bin/bash
# howto.sh -- the worked examples of docs/HOWTO_EVENT.md and HOWTO_UNIT.md, done as they stand there, on the P6 and the P5.
#
# docs/howto/*.diff apply to the tree as it is. In make check-all each is also built in a copy of it: with need `-` of its wire the event says
# <not modelled>, with that of the example the program of the example counts what it predicts, with the model's short cuts and without.
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

# softpmu stat of the example's program: build_and_count CPU EVENT PROGRAM.S
build_and_count() {
	make -s BUILD="$BUILD" "$BUILD/softpmu" >"$work/make" 2>&1 || { bad "$diff: $(grep -m 1 -E 'error|:[0-9]+:' "$work/make")"; return 1; }
	${CC:-cc} -nostdlib -static -no-pie -Wl,-z,noexecstack -Itests/model -DN=100 -o "$work/program" "$3" || return 1
	"$BUILD/softpmu" stat --cpu "$1" -x, -e "$2" -- "$work/program" 2>&1 | cut -d, -f1
}

# example DIFF CPU EVENT PROGRAM.S WIRE COUNT
example() {
	local got
	diff=docs/howto/$1.diff
	if ! patch -s -p1 --dry-run <"$diff" >"$work/patch" 2>&1; then
		bad "$diff does not apply: $(head -n 1 "$work/patch")"
		return
	fi
	ok
	[ "${CHECK_LEVEL:-}" = all ] || return
	rm -rf "$work/tree"
	copy && cd "$work/tree" && patch -s -p1 <"$OLDPWD/$diff" || { bad "$diff: no copy"; return; }
	sed -i "s/^\($5\t[0-9]\tevent\t\)[a-z]*/\1-/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	[ "$got" = '<not modelled>' ] && ok || bad "$diff: a wire with need - gives $got"
	sed -i "s/^\($5\t[0-9]\tevent\t\)-/\1counts/" catalog/*/wires.tsv
	got=$(build_and_count "$2" "$3" "$4")
	[ "$got" -ge "$6" ] 2>/dev/null && ok || bad "$diff: $3 is $got, less than $6" # padding in front of the loop may add some
	SOFTPMU=$PWD/$BUILD/softpmu tests/model/run.sh "$4" >"$work/run" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/run")"
	tools/check-layers.sh names >"$work/names" 2>&1 && ok || bad "$diff: $(head -n 1 "$work/names")"
	cd "$OLDPWD" || exit 1
}

example event_p6 pentium3 NOPS_RETIRED tests/model/retire_nop.S retire.nop 300
example event_p5 pentium NOPS_EXECUTED tests/model/p5_nop.S core.nop 200
example unit_p6 pentium3 PAUSES tests/model/hint_pause.S hint.pause 200
example unit_p5 pentium PAUSES tests/model/p5_hint_pause.S hint.pause 200
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
