#!/bin/bash
# apart.sh -- what a replay keeps apart: record --from-trace writes the bytes of a live record of the same run, but for
# its times; --per-thread, --per-process and -i list what a live stat lists.
. "$(dirname "$0")/../lib.sh"

trap 'rm -rf "$work"' EXIT
: "${CC:=cc}"
export LC_ALL=C
same="--env clean --isa v2 --cpuid pentium3"
$CC -O1 -D_GNU_SOURCE -w -pthread -o "$work/tree" tests/replay/tree.c || { bad "tree.c does not build"; finish; }
$CC -O1 -w -o "$work/odd" tests/replay/odd.c || { bad "odd.c does not build"; finish; }

# trace PROGRAM...; by timeout, as all runs here: a suite in the background ignores SIGINT, timeout does not, and posix_spawn asks
trace() { timeout 120 "$SOFTPMU" trace -q $same -o "$work/t.spt" -- "$@" >/dev/null 2>"$work/err" </dev/null && ok || bad "trace $*: $(head -n 1 "$work/err")"; }

# timeless FILE: a record up to its last section, the times
timeless() { head -c "$(grep -abo times "$1" | tail -n 1 | cut -d: -f1)" "$1"; }

# record OPTIONS PROGRAM...: live, and from $work/t.spt
record() {
	local options=$1
	shift
	timeout 120 "$SOFTPMU" record -q $same $options -o "$work/live.rec" -- "$@" >/dev/null 2>"$work/err" </dev/null || { bad "$*: $(head -n 1 "$work/err")"; return; }
	timeout 120 "$SOFTPMU" record -q --from-trace "$work/t.spt" $options -o "$work/again.rec" 2>"$work/err" || { bad "$options, $*: $(head -n 1 "$work/err")"; return; }
	timeless "$work/live.rec" >"$work/a"
	timeless "$work/again.rec" >"$work/b"
	[ "$(wc -c <"$work/a")" -gt 1000 ] && cmp -s "$work/a" "$work/b" && ok || bad "record $options, $*: other bytes than a live record"
}

# counts FILE: names, orders of birth and values, in the order of the file; a trace does not name the files that were read
counts() { grep -oE '"(name|birth|program|value|number|instructions)": [^,]*' "$1" | grep -v '"name": "/'; }

# list OPTIONS PROGRAM...: the same of stat and replay
list() {
	local options=$1
	shift
	timeout 120 "$SOFTPMU" stat $same $options --json -o "$work/live.json" -- "$@" >/dev/null 2>"$work/err" </dev/null || { bad "$*: $(head -n 1 "$work/err")"; return; }
	timeout 120 "$SOFTPMU" replay $options --json -o "$work/again.json" "$work/t.spt" 2>"$work/err" || { bad "$options, $*: $(head -n 1 "$work/err")"; return; }
	counts "$work/live.json" >"$work/a"
	counts "$work/again.json" >"$work/b"
	[ -s "$work/a" ] && cmp -s "$work/a" "$work/b" && ok || bad "replay $options, $*: $(diff "$work/a" "$work/b" | head -n 4 | tr '\n' ' ')"
}

way_number=0
for way in threads fork vfork spawn signals exec; do
	trace "$work/tree" $way
	for cpu in pentium3 pentium-mmx; do
		in_turn || continue
		record "--cpu $cpu --all" "$work/tree" $way
		list "--cpu $cpu --per-process --per-thread --all" "$work/tree" $way
		[ "${CHECK_LEVEL:-quick}" = all ] || [ $((way_number % 2)) = 0 ] || continue
		record "--cpu $cpu --all --tier 1" "$work/tree" $way
		record "--cpu $cpu --all --tier 2 --stacks on" "$work/tree" $way
		list "--cpu $cpu -i -e instructions,cycles" "$work/tree" $way
		record "--cpu $cpu -i --per-thread -e instructions,cycles" "$work/tree" $way
	done
	case $way in
	fork | threads) record "--clocks sampled:1/16 -e instructions,cycles" "$work/tree" $way ;;
	esac
	in_turn # the next way begins with the other processor
	way_number=$((way_number + 1))
done
trace "$work/odd" # it writes its own code
record "-e instructions,dcu_lines_in" "$work/odd"
list "--per-thread --per-process -e instructions,dcu_lines_in" "$work/odd"

# refused PATTERN OPTIONS...
refused() {
	local pattern=$1
	shift
	"$SOFTPMU" "$@" >"$work/out" 2>&1
	[ $? = 125 ] && grep -q -- "$pattern" "$work/out" && [ "$(grep -c '^softpmu:' "$work/out")" = 1 ] && ok ||
		bad "$*: status or sentence: $(head -n 2 "$work/out" | tr '\n' ' ')"
}
refused "no program is run" record --from-trace "$work/t.spt" true
refused "\-\-isa is for a program that runs" record --isa v1 --from-trace "$work/t.spt"
refused "cannot read" record --from-trace "$work/none"
refused "has totals alone" replay --per-thread --from 10K "$work/t.spt"
head -c $(($(stat -c %s "$work/t.spt") - 300)) "$work/t.spt" >"$work/cut"
"$SOFTPMU" record --from-trace "$work/cut" -e instructions -o "$work/cut.rec" >"$work/out" 2>&1
[ $? = 125 ] && grep -q "ends early" "$work/out" && ok || bad "a cut trace: $(head -n 3 "$work/out" | tr '\n' ' ')"
finish
