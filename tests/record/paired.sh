#!/bin/bash
# paired.sh -- softpmu diff: what is one row in two builds: lines below others that were written or left out, functions that are called otherwise or
# take other parameters, files of one name; and what is told where a build is not what was recorded, or two runs were asked for different things.
set -u
. "$(dirname "$0")/../lib.sh"
cd "$work" || exit 1
unset GITHUB_STEP_SUMMARY GITHUB_WORKSPACE GITHUB_BASE_REF

# A program without libc, so that all that is counted is here: a line executes as many instructions as its `nop`s say.
cat >base.c <<'END'
static int turns;
/* one */
__attribute__((noinline)) static void step(int n)
{
	for (int i = 0; i < n; i++) {
		__asm__ volatile("nop; nop; nop");
		__asm__ volatile("nop; nop; nop; nop; nop");
		__asm__ volatile("nop");
		__asm__ volatile("nop; nop");
	}
}
__attribute__((noinline)) static void last(int n)
{
	for (int i = 0; i < n; i++)
		__asm__ volatile("nop; nop; nop; nop; nop; nop; nop");
}
void _start(void)
{
	step(100);
	last(50);
	__asm__ volatile("syscall" : : "a"(60), "D"(turns));
	for (;;)
		;
}
END
compiler=("${CC:-cc}" -O1 -g -static -nostdlib -nostartfiles -fno-stack-protector -fno-tree-loop-optimize)
# build NAME: NAME/prog.c, recorded into NAME.rec
build() {
	(cd "$1" && "${compiler[@]}" -o prog prog.c && "$SOFTPMU" record -q --env clean -e instructions,branches -o "../$1.rec" -- ./prog) 2>err || bad "$1: $(cat err)"
}
# changed NAME PROGRAM-OF-SED: base.c, changed so, as NAME.rec
changed() {
	mkdir -p "$1" && sed "$2" base.c >"$1/prog.c" && build "$1"
}
# rows OLD NEW [OPTION...]: lines that changed, "LINE CHANGE", by line of the new build
rows() {
	"$SOFTPMU" diff "$1.rec" "$2.rec" --json "${@:3}" >json 2>err || bad "diff $1 $2: $(cat err)"
	jq -r '[.lines[] | "\(.line) \(.new.instructions - .old.instructions)"] | sort | join(", ")' json
}
# is NAME GOT WANTED
is() { [ "$2" = "$3" ] && ok || bad "$1: $2, not $3"; }

changed base ''
five=$(grep -n -m 1 'nop; nop; nop; nop; nop")' base.c | cut -d: -f1)

# One line inside of a function, and what is below it is as it was: of each of 100 turns four nops more.
changed inside "${five}i __asm__ volatile(\"nop; nop; nop; nop\");"
is "a line inside a function" "$(rows base inside)" "$five 400"
"$SOFTPMU" diff base.rec inside.rec >out 2>err
is "lines of the program" "$(sed -n '/^ Lines of the program/,/^ Functions/s/.*\(prog.c:[0-9]*\).*/\1/p' out)" "prog.c:$five"
is "the same backwards" "$(rows inside base)" "$five -400"
# Two lines inside, another above, one left out, whose number is the old one: moves of 1, 3 and 2.
changed several "1i /* above */
${five}i /* a */
${five}i __asm__ volatile(\"nop; nop; nop; nop\");
/volatile(\"nop; nop\");/d"
is "several changes of a file" "$(rows base several)" "$((five + 2)) -200, $((five + 2)) 400"
# A function that was moved below the others, with its lines.
changed below '/^.*void step/,/^}/{H;d};/^void _start/{x;G};1i __attribute__((noinline)) static void step(int n);'
is "a function below another" "$(rows base below)" ""

# Functions of two names: the others pair by their lines, and a note tells of it.
changed renamed 's/step/pace/g; s/last/final/g'
is "functions with other names" "$(rows base renamed)" ""
is "the note of them" "$(jq -r '.notes[]' json)" "2 functions have another name in the new run, and the lines that they had: final was last, pace was step"

# Another build in place of the old one: it is one row, no line is named, nothing is annotated; --prefix says where the old one is now.
mkdir kept && cp base/prog kept/ && cp inside/prog base/prog
github() { GITHUB_STEP_SUMMARY=$work/summary "$SOFTPMU" diff base.rec inside.rec --github --limit instructions=+100 "$@" >out 2>err; }
github
is "lines of a build that is gone" "$(grep -c 'prog[.]c:' out) $(grep -c '^::error title' out)" "0 1"
grep -q '^ *+400 .*no symbol.*prog' out && grep -q 'Note: prog is compared as a whole, because its file of the old run is not what was recorded; --prefix' out && ok ||
	bad "it does not say so: $(cat out err)"
is "start-up of both" "$("$SOFTPMU" diff base.rec inside.rec --json 2>err | jq '.events[0].main | .new - .old')" 400
github --prefix "$work/base=$work/kept"
grep -q "^::error file=inside/prog.c,line=$five," out && ! grep -q 'not what was recorded' out err && ok || bad "--prefix of a program: $(cat out err)"
cp kept/prog base/prog

# Lines in one build alone: they are no new ones.
mkdir -p without && cp inside/prog.c without/ && (cd without && "${compiler[@]}" -g0 -o prog prog.c && "$SOFTPMU" record -q --env clean -e instructions,branches -o ../without.rec -- ./prog) 2>err
"$SOFTPMU" diff base.rec without.rec >out 2>err
! grep -q 'prog[.]c:' out && grep -q 'Note: prog has lines in the old run alone, and is not compared line by line; compile both with -g[.]$' out &&
	grep -q '^ *+400 .* step  prog' out && ok || bad "lines in the old build alone: $(cat out err)"

# A broken limit says what is shown, where nothing else does; lines that fell much are shown, too.
changed jumps "${five}s/nop; nop; nop; nop; nop/jmp 1f; 1: nop/"
"$SOFTPMU" diff base.rec jumps.rec --limit branches=1% >out 2>err
grep -q 'Functions, by change of branches:' out && ok || bad "the event of the broken limit: $(cat out err)"
"$SOFTPMU" diff base.rec jumps.rec --limit branches=1% --sort instructions >out 2>err
grep -q 'Functions, by change of instructions:' out && ok || bad "--sort and a broken limit: $(cat out err)"
changed both "${five}i __asm__ volatile(\"nop; nop; nop; nop; nop; nop; nop; nop\");
/volatile(\"nop; nop\");/d"
"$SOFTPMU" diff base.rec both.rec >out 2>err
is "a line that fell" "$(sed -n '/^ Lines of the program/,/^ Functions/p' out | grep -c -- '-200 *gone')" 1
github() { GITHUB_STEP_SUMMARY=$work/summary "$SOFTPMU" diff base.rec both.rec --github --limit instructions=1% >out 2>err; }
github
is "annotations of lines that fell" "$(grep '^::' out | grep -c 'instructions -')" 0

# Events in another order are the same events.
(cd inside && "$SOFTPMU" record -q --env clean -e branches,instructions -o ../order.rec -- ./prog) 2>err || bad "record: $(cat err)"
"$SOFTPMU" diff base.rec inside.rec --json >json 2>err && "$SOFTPMU" diff base.rec order.rec --json 2>err | cmp -s - json && ok || bad "events in another order: $(cat err)"

# Other arguments are told.
(cd base && "$SOFTPMU" record -q --env clean -e instructions,branches -o ../asked.rec -- ./prog more) 2>err || bad "record: $(cat err)"
"$SOFTPMU" diff base.rec asked.rec >out 2>err
grep -q "^ Note: the arguments of the two runs differ: './prog more' is compared with './prog'[.]$" out && ok || bad "other arguments: $(cat out err)"
finish
