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
finish
