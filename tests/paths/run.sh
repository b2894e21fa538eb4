#!/bin/bash
# run.sh -- call paths: softpmu record --stacks on, report --inclusive, --callers and --callees, export callgrind.
#
# calls.S predicts every call and every instruction. The others call work(n) of work.h, which executes 2 n + 1
# instructions, behind whatever makes a path hard to follow: recursion, exceptions, longjmp, handlers, coroutines,
# threads, fork. So the counts of work by caller say where each path went on.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/paths
CC=${CC:-cc}
cd "$work" || exit 1

"$CC" -nostdlib -static -no-pie -o calls "$here/calls.S" && "${CXX:-c++}" -O1 -g -o throw "$here/throw.cpp" ||
	{ echo "FAIL the programs do not compile"; exit 1; }
for p in jump handler switch many; do
	"$CC" -O1 -g -o $p "$here/$p.c" -pthread || { echo "FAIL $p.c does not compile"; exit 1; }
done

# record NAME [OPTIONS]: its record is NAME.rec, and NAME.json has functions with what they called.
record() {
	local name=$1
	shift
	"$SOFTPMU" record -q --env clean --stacks on "$@" -o "$name.rec" -- "./${program:-$name}" >/dev/null 2>err || bad "record $name: $(cat err)"
	"$SOFTPMU" report "$name.rec" --inclusive --json >"$name.json" 2>notes || bad "report --inclusive of $name: $(cat notes)"
	[ -s notes ] && bad "$name: $(cat notes)" || ok
}
# own FUNCTION, inclusive FUNCTION, calls FUNCTION: of $name
field() { jq -r --arg f "$2" --arg e "$event" "[.rows[] | select(.function == \$f) | $1] | add // 0" "$name.json"; }
expect() {
	local function=$1 own=$2 inclusive=$3 calls=$4 got
	got="$(field '.own[$e]' "$function") $(field '.counts[$e]' "$function") $(field .calls "$function")"
	[ "$got" = "$own $inclusive $calls" ] && ok || bad "$name: $function has own, inclusive, calls $got, not $own $inclusive $calls"
}
# from CALLER CALLEE CALLS COUNT: so often did CALLER call CALLEE, and so much was counted there.
from() {
	local got
	got=$("$SOFTPMU" report "$name.rec" --callers "$2" --json 2>/dev/null |
		jq -r --arg f "$1" --arg e "$event" '[.rows[] | select(.function == $f) | "\(.calls) \(.counts[$e])"] | join(" ")')
	[ "$got" = "$3 $4" ] && ok || bad "$name: $1 calls $2: '$got' (calls, $event), not '$3 $4'"
}

# ---- every instruction predicted -------------------------------------------------------------------

for cpu in pentium3 pentium-mmx; do
	name=calls event=instructions
	record calls --cpu $cpu -e instructions
	expect _start 11 109 1
	expect down 33 33 6
	expect even 20 38 4
	expect odd 18 18 4
	expect twice 5 13 1
	expect leaf 12 12 4
	expect step 2 5 1
	expect hop 2 5 1
	expect skip 2 4 1
	expect skip_out 2 2 1
	expect pushed 2 2 1
	from _start down 1 33
	from down down 5 0
	from _start even 1 38
	from even odd 4 18
	from odd even 3 0
	from hop leaf 1 3
	from step leaf 1 3
	from twice leaf 2 6
	from twice pushed 1 2
	from _start skip 1 4
done

# ---- paths that are hard to follow -----------------------------------------------------------------

# What work(n) executes, so many times.
w() { echo $((${2:-1} * (2 * $1 + 1))); }
event=instructions
for name in throw jump; do
	record $name -e instructions
	from catcher work 10 "$(w 100 10)"
	from after work 10 "$(w 50 10)"
	from main work 1 "$(w 20)"
	expect after 50 $((50 + $(w 50 10))) 10
done
name=jump
from main catcher 10 "$(field '.counts[$e]' catcher)"
from catcher after 10 "$(field '.counts[$e]' after)"

name=handler
record handler -e instructions
from on_usr1 work 6 "$(w 30 6)"
from on_usr2 work 5 "$(w 40 5)"
from on_ill work 5 "$(w 70 5)"
from raises work 6 "$(w 50 6)"
from leaves work 5 "$(w 60 5)"
from faults work 5 "$(w 80 5)"
from main work 1 "$(w 20)"
from main raises 6 "$(field '.counts[$e]' raises)"

name=switch
record switch -e instructions
from yields work 20 "$(w 30 20)"
from second work 10 "$(w 40 10)"
from resumes work 22 "$(w 50 22)"
from main work 1 "$(w 20)"
from first yields 10 "$("$SOFTPMU" report switch.rec --callers yields --json | jq '.rows[] | select(.function == "first").counts.instructions')"

name=many
record many -e instructions
from inner work 300 "$(w 30 300)"
from forks work 2 $(($(w 40) + $(w 50)))
from main work 1 "$(w 20)"

# Each thread has calls of its own, where they are told apart; together they have those of all, and sum to what each thread counted.
cp many.json together.json
record many -e instructions,branches,dcu_lines_in --per-thread
from inner work 300 "$(w 30 300)"
cp many.rec threads.rec
for t in 1:1 1:2 1:3; do
	"$SOFTPMU" report threads.rec --process $t --inclusive --json | jq -r '.rows[] | select(.function == "work" or .function == "inner" or .function == "main") |
		"\(.function) \(.calls) \(.own.instructions)"' | sort >one
	"$SOFTPMU" report threads.rec --process $t --callers work --json | jq -r '.rows[] | "\(.function) \(.calls) \(.counts.instructions)"' >two
	[ "$(grep -c main one)" = 0 ] && grep -q "^inner 100 " one && [ "$(cat two)" = "inner 100 $(w 30 100)" ] && ok || bad "thread $t: $(cat one two | tr '\n' ' ')"
done
"$SOFTPMU" report threads.rec --process 1:0 --callers work --json | jq -r '.rows[] | "\(.function) \(.calls) \(.counts.instructions)"' | sort >two
[ "$(cat two)" = "$(printf 'forks 1 %s\nmain 1 %s' "$(w 40)" "$(w 20)")" ] && ok || bad "the first thread: $(cat two)"
got=$(jq -c '[.rows[] | select(.function == "work" or .function == "inner" or .function == "thread" or .function == "forks") | [.function, .own.instructions, .calls]] | sort' many.json)
[ "$got" = "$(jq -c '[.rows[] | select(.function == "work" or .function == "inner" or .function == "thread" or .function == "forks") | [.function, .own.instructions, .calls]] | sort' together.json)" ] &&
	ok || bad "threads told apart do not add up: $got"
for e in instructions branches dcu_lines_in; do
	[ "$(jq "[.rows[].own.$e] | add" many.json)" = "$(jq .totals.$e many.json)" ] && ok || bad "contexts of threads sum to $(jq "[.rows[].own.$e] | add" many.json) $e, not $(jq .totals.$e many.json)"
done

# Stubs of the PLT are passed through: bound late or at the start, with and without ENDBR, in both widths. The dynamic
# linker's resolver is called once, by whoever comes first, and does not call what it finds.
event=instructions
for width in 64 32; do
	"$CC" -m$width -O2 -fPIC -shared -DLIBRARY -o libshared-$width.so "$here/plt.c" 2>err || { echo "note: no stubs of $width bits are tested: $(head -n 1 err)"; continue; }
	for how in lazy:none now:none lazy:full now:full; do
		name=plt-$width-${how%:*}-${how#*:}
		"$CC" -m$width -O2 -fcf-protection=${how#*:} -Wl,-z,${how%:*} -o $name "$here/plt.c" -L. -l:libshared-$width.so -Wl,-rpath,"$work" 2>err || bad "$name does not compile: $(head -n 1 err)"
		record $name -e instructions
		got=$("$SOFTPMU" report $name.rec --callers shared --json | jq -c '[.rows[] | [.function, .calls]] | sort')
		[ "$got" = '[["calls",10],["hands_on",5],["twice",6]]' ] && ok || bad "$name: shared is called by $got"
		got=$("$SOFTPMU" report $name.rec --callers shared --json | jq '[.rows[].counts.instructions] | add')
		[ "$got" = "$(field '.counts[$e]' shared)" ] && [ "$got" -ge $((10 * 200 + 5 * 100 + 6 * 40)) ] && ok || bad "$name: calls of shared have $got, itself $(field '.counts[$e]' shared)"
		from main calls 10 "$(field '.counts[$e]' calls)"
		[ "$(jq '[.rows[] | select(.function == "shared@plt")] | length' $name.json)" = 0 ] && ok || bad "$name: the stub is a function"
		got=$("$SOFTPMU" report $name.rec --callees calls --json | jq '[.rows[] | select(.object | test("/ld-linux")).calls] | add // 0')
		case $how in
		lazy*) [ "$got" = 1 ] && ok || bad "$name: calls calls the resolver $got times" ;;
		now*) [ "$got" = 0 ] && ok || bad "$name: calls calls the resolver $got times" ;;
		esac
	done
done

# ---- sums ------------------------------------------------------------------------------------------

# Own counts of all contexts sum to the totals, for every event, and nothing is left over for the process itself.
# What begins a thread, with all that it calls, is everything.
sums() {
	record "$@"
	jq -r '. as $r | .totals | to_entries[] | .key as $e | ([$r.rows[].own[$e]] | add) as $own | ([$r.rows[] | select(.function == "[process]").own[$e]] | add // 0) as $rest |
		select($own != .value or $rest != 0) | "\($e): total \(.value), own counts \($own), rest \($rest)"' "$1.json" >odd
	[ "$(jq '.totals | length' "$1.json")" -gt 5 ] && [ ! -s odd ] && ok || bad "$*: $(head -n 3 odd | tr '\n' ';')"
}
for name in throw handler switch many; do
	sums $name --all --tier 2
	sums $name --all --tier 2 --cpu pentium-mmx
	in_turn || continue
	sums $name --all
	sums $name --all --cpu pentium-mmx
done
name=jump
sums jump
# ld.so's _start, and the program's own with main in it.
total=$(jq .totals.INST_RETIRED jump.json) event=INST_RETIRED
[ "$(field '.counts[$e]' _start)" = "$total" ] && ok || bad "jump: both _start have $(field '.counts[$e]' _start) of $total"

# The ways of a model give the same paths, and so do two runs.
"$SOFTPMU" report jump.rec --inclusive --json | jq -S .rows >one
for chaos in 0 1 16 256; do
	program=jump record way --chaos $chaos
	jq -S .rows way.json >two
	cmp -s one two && ok || bad "--chaos $chaos gives other paths"
done

# With clocks a function has of its own what its instructions have, whichever way the model goes.
for cpu in pentium3 pentium-mmx; do
	"$SOFTPMU" record -q --env clean --stacks on --all --cpu $cpu -o clocks.rec -- ./calls >/dev/null 2>err || bad "record of clocks: $(cat err)"
	"$SOFTPMU" report clocks.rec --inclusive --json >paths.json
	"$SOFTPMU" report clocks.rec --json >places.json
	jq -n -r --slurpfile a paths.json --slurpfile b places.json '$b[0].rows[] as $r | $a[0].rows[] |
		select(.function == $r.function and ([.own[]] | add) > 0 and .own != $r.counts) | .function' >odd
	[ "$(jq '[.rows[] | select([.own | to_entries[] | select(.key | test("CLK_UNHALTED|CLOCKS|INST_RETIRED|INSTRUCTIONS_EXECUTED$")).value] | add > 0)] | length' paths.json)" -ge 8 ] &&
		[ ! -s odd ] && ok || bad "clocks of $cpu: own counts differ from those of the instructions: $(tr '\n' ' ' <odd)"
	for chaos in 16 256; do
		"$SOFTPMU" record -q --env clean --stacks on --all --cpu $cpu --chaos $chaos -o way.rec -- ./calls >/dev/null 2>err
		"$SOFTPMU" report way.rec --inclusive --json | jq -S .rows >two
		jq -S .rows paths.json | cmp -s - two && ok || bad "clocks of $cpu: --chaos $chaos gives other paths"
	done
done

# ---- export ----------------------------------------------------------------------------------------

if command -v callgrind_annotate >/dev/null; then
	name=jump event=INST_RETIRED
	"$SOFTPMU" export callgrind jump.rec -o jump.cg 2>err && [ ! -s err ] && ok || bad "export callgrind: $(cat err)"
	callgrind_annotate --tree=both --inclusive=yes --threshold=100 --show=INST_RETIRED jump.cg >tree 2>err && [ ! -s err ] && ok ||
		bad "callgrind_annotate: $(head -n 3 err)"
	# inclusive counts, and calls of each caller
	for function in main catcher after jumper; do
		got=$(awk -v f="jump.c:$function " '$0 ~ / \* / && index($0, f) { gsub(",", "", $1); print $1; exit }' tree)
		[ "$got" = "$(field '.counts[$e]' $function)" ] && ok || bad "callgrind_annotate says $got of $function, the record $(field '.counts[$e]' $function)"
	done
	grep -qE '^ *5,6[0-9]{2} .*> +.*jump.c:catcher \(10x\)' tree && ok || bad "callgrind_annotate shows no ten calls of catcher"
	got=$(callgrind_annotate jump.cg | awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }')
	[ "$got" = "$total" ] && ok || bad "callgrind_annotate sums to $got, the record to $total"
	# one number, one function: ld.so and the program have a _start each
	[ "$(grep -cE '^c?fn=\([0-9]+\) _start$' jump.cg)" = 2 ] && ok || bad "export callgrind: $(grep -E '^c?fn=\([0-9]+\) _start$' jump.cg | tr '\n' ' ')"
else
	echo "note: no callgrind_annotate (Debian: valgrind): exports to it are not tested"
fi

# ---- what is refused, and damaged files ------------------------------------------------------------

"$SOFTPMU" record -q -o off.rec -- ./calls 2>/dev/null
"$SOFTPMU" report off.rec --inclusive >out 2>err
[ $? = 125 ] && [ ! -s out ] && grep -q 'has no call paths; softpmu record --stacks on' err && ok || bad "report --inclusive without paths says: $(cat err)"
# A program that has changed since gives no names, which would be wrong.
cp throw before && cp jump throw && "$SOFTPMU" report throw.rec --inclusive --json >out 2>err && grep -q 'is not what was recorded' err &&
	[ "$(jq '[.rows[] | select(.object | endswith("/throw")) | select(.function != "[no symbol]")] | length' out)" = 0 ] && ok ||
	bad "report --inclusive of a program that has changed: $(cat err)"
mv before throw
"$SOFTPMU" report jump.rec --callers jumpr >out 2>err
[ $? = 125 ] && grep -q 'jumper' err && ok || bad "report --callers jumpr says: $(cat err)"
"$SOFTPMU" record --stacks maybe -- ./calls >out 2>err
[ $? = 125 ] && grep -q 'choose on or off' err && ok || bad "record --stacks maybe says: $(cat err)"
"$SOFTPMU" record -q -e instructions --stacks on -o calls.rec -- ./calls 2>err

finish
