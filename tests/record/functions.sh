#!/bin/bash
# functions.sh -- record --region FUNC[:N]: what is executed from the entry of a function until its return.
#
# functions.c calls work(n), which executes 2 n + 1 instructions, so each region's share of work() is predicted. What a region counts
# besides is what the record with all call paths says of the function and all that it calls.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/record
CC=${CC:-cc}
cd "$work" || exit 1

w() { echo $((${2:-1} * (2 * $1 + 1))); }
"$CC" -O1 -g -static -no-pie -o static "$here/functions.c" -pthread && "$CC" -O1 -g -fPIE -pie -o pie "$here/functions.c" -pthread ||
	{ echo "FAIL functions.c does not compile"; exit 1; }

# region NAME [OPTIONS]: the record region.rec of $program, with what report says of it in region.json.
region() {
	local name=$1
	shift
	"$SOFTPMU" record -q --region "$name" --env clean "$@" -o region.rec -- ./$program >/dev/null 2>err || bad "record --region $name: $(cat err)"
	"$SOFTPMU" report region.rec --json >region.json 2>/dev/null
	[ -s err ] && bad "--region $name of $program: $(cat err)" || ok
}
# worked N NAME: in the region NAME of $program work() executes N instructions.
worked() {
	local want=$1
	shift
	region "$@" -e instructions
	got=$(jq '[.rows[] | select(.function == "work").counts.instructions] | add // 0' region.json)
	[ "$got" = "$want" ] && ok || bad "$program, --region $1: work() executes $got instructions, not $want"
}

for program in static pie; do
	worked $(w 20 2) times:2
	worked $(w 50 2) tail
	worked $(($(w 10 2) + $(w 20 2) + $(w 40 2) + $(w 50 2) + $(w 100 2) + $(w 101 2))) times
	worked $(w 10 6) deep # each level once, whatever calls it
	worked $(w 10 2) deep:2 # calls that it makes of itself have no numbers
	worked $(($(w 40) + $(w 30))) leaves
	worked $(w 30) jumps
	worked $(w 70) begins_a_child
	worked $(w 60) raises # the handler runs inside of it
	worked $(w 60) handler
	worked $(w 20) work:4
done

# The same as the record with all call paths says of the function with all that it calls, every event, clocks too, on both families;
# rows sum to it, and with --stacks on contexts do.
program=static
for how in "--cpu pentium3 --tier 2" "--cpu pentium-mmx --tier 2" "--cpu pentium3 --tier 2 --chaos 256" "--cpu pentium3" "--cpu pentium-mmx"; do
	"$SOFTPMU" record -q --stacks on --env clean --all $how -o all.rec -- ./static >/dev/null 2>err || bad "record of all: $(cat err)"
	"$SOFTPMU" report all.rec --inclusive --json >all.json
	for name in times deep leaves begins_a_child main; do
		in_turn || continue
		region $name --all $how --stacks on
		"$SOFTPMU" report region.rec --inclusive --json >paths.json
		jq -n -r --arg f $name --slurpfile all all.json --slurpfile region region.json --slurpfile paths paths.json '
			$region[0].totals | to_entries[] | .key as $e |
			([$all[0].rows[] | select(.function == $f).counts[$e]] | add) as $inclusive | ([$region[0].rows[].counts[$e]] | add) as $rows |
			([$paths[0].rows[].own[$e]] | add) as $own |
			select(.value != $inclusive or .value != $rows or .value != $own) | "\($e): \(.value), inclusive \($inclusive), rows \($rows), contexts \($own)"' >odd
		[ "$(jq '[.totals[] | select(. > 0)] | length' region.json)" -gt 4 ] && [ ! -s odd ] && ok || bad "--region $name $how: $(head -n 3 odd | tr '\n' ';')"
	done
done

# In each thread that calls it; the calls are numbered in the order in which they are made.
region times -e instructions --per-thread
got=$("$SOFTPMU" report region.rec --by thread --json | jq -r '[.rows[] | "\(.process) \(.counts.instructions)"] | sort | join(" ")')
one=$("$SOFTPMU" report region.rec --process 1:1 --json | jq '[.rows[] | select(.function == "work").counts.instructions] | add')
[ "$one" = "$(w 100 2)" ] && [[ "$got" == *"1:2 static"* ]] && ok || bad "threads of the region: work() $one; $got"
worked $(w 100 2) times:5
jq -S .rows region.json >one
"$SOFTPMU" record -q --region times:5 --env clean -e instructions -o again.rec -- ./static >/dev/null 2>&1
"$SOFTPMU" report again.rec --json | jq -S .rows >two
cmp -s one two && ok || bad "two runs of --region times:5 differ"

# By the linker's name, by the name as people write it, with arguments and without; a number is behind one colon.
printf 'namespace room { __attribute__((noinline)) void f(long n) { for (; n; n--) __asm__ volatile(""); } }\nint main() { room::f(50); room::f(70); }\n' >names.cpp
if "${CXX:-c++}" -O1 -g -o names names.cpp 2>/dev/null; then
	program=names
	for name in _ZN4room1fEl room::f 'room::f(long)'; do
		region "$name" -e instructions
		got=$(jq '.totals.instructions' region.json)
		[ "$got" -gt 240 ] && [ "$got" -lt 500 ] && ok || bad "--region $name counts $got instructions"
		region "$name:2" -e instructions
		got=$(jq '.totals.instructions' region.json)
		[ "$got" -gt 140 ] && [ "$got" -lt 240 ] && ok || bad "--region $name:2 counts $got instructions"
	done
fi

# Names that hold parentheses: of an unnamed namespace, of lambdas, with a result before them. N turns of a loop are 4 N instructions;
# what the functions execute besides is less than 20.
cat >odd.cpp <<'EOF'
#define TURNS(n) for (long i = 0; i < (n); i++) __asm__ volatile("nop")
#define APART __attribute__((noinline, noclone))
namespace {
struct box { APART void operator()(long n) { TURNS(n); } };
APART void work(long n) { TURNS(n); }
template <class T> APART T pick(T n) { TURNS(n); return n; }
}
int main() { auto l = [](long n) APART { TURNS(n); }; work(100); box()(200); l(300); return pick<int>(400) == pick<long>(500); }
EOF
if "${CXX:-c++}" -O1 -g -o odd odd.cpp 2>/dev/null; then
	program=odd
	for row in 100:work '100:(anonymous namespace)::work' '100:(anonymous namespace)::work(long)' '200:box::operator()' '300:main::{lambda(long)#1}::operator()' \
		'400:pick<int>' '500:long (anonymous namespace)::pick<long>' 900:pick; do
		region "${row#*:}" -e instructions
		got=$(jq '.totals.instructions' region.json)
		[ "$got" -ge $((4 * ${row%%:*})) ] && [ "$got" -lt $((4 * ${row%%:*} + 20)) ] && ok || bad "--region ${row#*:} counts $got instructions"
	done
	"$SOFTPMU" record -q --env clean -e instructions -o odd.rec -- ./odd 2>err
	for name in work 'box::operator()' '(anonymous namespace)::pick<...>(...)'; do
		"$SOFTPMU" annotate "$name" odd.rec >out 2>err && grep -q TURNS out && ok || bad "annotate $name: $(cat err)"
	done
fi

# ---- what is said ----------------------------------------------------------------------------------

# says PATTERN NAME PROGRAM
says() {
	local code
	echo kept >none.rec
	"$SOFTPMU" record -q --region "$2" --env clean -e instructions -o none.rec -- ./$3 >/dev/null 2>err
	code=$?
	grep -q -- "$1" err && ok || bad "record --region $2 of $3 says: $(cat err)"
	[ $code = 125 ] && [ "$(cat none.rec)" = kept ] && ok || bad "record --region $2 of $3 has status $code, or writes a record"
}
strip -o stripped static
says "no file that was executed has a function tmies; did you mean times?" tmies static
says "times was called 6 times$" times:7 static
says "has a function times, and the program is stripped" times stripped
printf 'void never(void) {}\nint main(void) { return 0; }\n' | "$CC" -x c -O1 -o never -
if [ -x odd ]; then # the program's own functions come before brk of libc
	says "never in the region 'wrk', so nothing is recorded: .* function wrk; did you mean work?" wrk odd
	says "did you mean box::operator()?" box::operater odd
	"$SOFTPMU" annotate wrk odd.rec 2>err
	grep -q 'did you mean work?' err && ok || bad "annotate wrk: $(cat err)"
fi
says "never of .*/never was never called$" never never

# A mark with that name wins, and what the function counted before is dropped.
if printf '#include <valgrind/callgrind.h>\n#include "%s/tests/paths/work.h"\n__attribute__((noinline)) void collect(long n) { work(n); __asm__ volatile(""); }
int main(void) { collect(100); CALLGRIND_TOGGLE_COLLECT; work(50); collect(7); CALLGRIND_TOGGLE_COLLECT; collect(200); return 0; }\n' "${here%/tests/record}" |
	"$CC" -x c -O1 -w -o marked - 2>/dev/null; then
	for stacks in off on; do
		"$SOFTPMU" record -q --region collect --stacks $stacks --env clean -e instructions -o region.rec -- ./marked >/dev/null 2>err
		grep -q "'collect' is a mark of the program and a function of .*/marked: the mark was counted" err && ok || bad "a mark and a function: $(cat err)"
		got=$("$SOFTPMU" report region.rec --json | jq '[.rows[] | select(.function == "work").counts.instructions] | add')
		[ "$got" = $(($(w 50) + $(w 7))) ] && ok || bad "a mark and a function, --stacks $stacks: work() executes $got"
	done
else
	echo "note: no valgrind/callgrind.h: a mark with a function's name is not tested"
fi

finish
