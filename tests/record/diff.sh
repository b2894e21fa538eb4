#!/bin/bash
# diff.sh -- softpmu diff: which rows pair, limits with and without start-up, reports of stat --json, Markdown and GitHub's annotations.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/record
cd "$work" || exit 1
unset GITHUB_STEP_SUMMARY GITHUB_WORKSPACE GITHUB_BASE_REF

# Two builds in two directories, whose loop goes round 1000 and 3000 times: 6000 instructions more in line LOOP, and no others.
mkdir -p old/src new/src
for which in old:1000 new:3000; do
	sed "s/TIMES/${which#*:}/" "$here/turns.c" >"${which%:*}/src/turns.c"
	(cd "${which%:*}" && "${CC:-cc}" -O1 -g -o turns src/turns.c) || bad "turns.c does not compile"
	(cd "${which%:*}" && "$SOFTPMU" record -q --env clean -e instructions,branches -o ../"${which%:*}.rec" -- ./turns 2>err) ||
		bad "record: $(cat "${which%:*}/err")"
done
line=$(grep -n LOOP "$here/turns.c" | cut -d: -f1)
"$SOFTPMU" diff old.rec new.rec --json >d.json 2>err || bad "diff --json: $(cat err)"
got=$(jq -c '.records | map([(.command | length > 0), .cpu, (.version | length > 0)])' d.json)
[ "$got" = '[[true,"pentium3",true],[true,"pentium3",true]]' ] && ok || bad "what diff --json says of its records: $got"
got=$(jq -r '.events[0] | .new - .old, .main.new - .main.old' d.json | tr '\n' ' ')
[ "$got" = "6000 6000 " ] && ok || bad "instructions rise by $got, not by 6000 and without start-up by 6000"
got=$(jq -r '.functions[] | "\(.function) \(.new.instructions - .old.instructions)"' d.json)
[ "$got" = "turn 6000" ] && ok || bad "functions that changed: $got"
got=$(jq -r '.lines[] | "\(.line) \(.new.instructions - .old.instructions)"' d.json)
[ "$got" = "$line 6000" ] && ok || bad "lines that changed: $got, not line $line"

# html takes the new record first: it says which is which, on the page, too, and wonders when the new one is older.
sleep 1.1
(cd new && "$SOFTPMU" record -q --env clean -e instructions,branches -o ../later.rec -- ./turns) 2>err || bad "record: $(cat err)"
"$SOFTPMU" html later.rec old.rec -o page.html 2>err && grep -q "in which 'later.rec' is new and 'old.rec' is old$" err && [ "$(wc -l <err)" = 1 ] &&
	grep -q '<dt>new</dt><dd><bdi>later.rec</bdi>' page.html && grep -q '<dt>old</dt><dd><bdi>old.rec</bdi>' page.html && ok || bad "html of two records: $(cat err)"
grep -q 'id="order"' page.html && bad "the page doubts an order that is right" || ok
"$SOFTPMU" html old.rec later.rec -o page.html 2>err && grep -q "'old.rec' was recorded before 'later.rec'; if it is the old one, write softpmu html --old old.rec later.rec$" err &&
	grep -q '<p class="trouble" id="order">The record that is called new here was made before the old one' page.html && ok ||
	bad "html of two records in the other order: $(cat err)"
"$SOFTPMU" html --old old.rec later.rec -o page.html 2>err && grep -q "in which 'later.rec' is new and 'old.rec' is old$" err && [ "$(wc -l <err)" = 1 ] && ok || bad "html --old: $(cat err)"
"$SOFTPMU" html --old later.rec old.rec -o page.html 2>err && grep -q "in which 'old.rec' is new and 'later.rec' is old$" err && [ "$(wc -l <err)" = 1 ] &&
	! grep -q 'id="order"' page.html && ok || bad "html --old of records in the other order, which was asked for: $(cat err)"
"$SOFTPMU" html --old old.rec new.rec later.rec -o page.html 2>err
[ $? = 125 ] && grep -q "^softpmu: html --old old.rec: 'later.rec' would be another old record" err && ok || bad "html --old and two records: $(cat err)"

# Start-up is what the dynamic linker and the functions around main count: main and turn are not in it.
main=$("$SOFTPMU" report new.rec --json | jq '[.rows[] | select(.function == "main" or .function == "turn").counts.instructions] | add')
got=$(jq '.events[0].main.new' d.json)
[ "$got" -ge "$main" ] && [ "$got" -lt "$(jq '.events[0].new / 4 | floor' d.json)" ] && ok || bad "without start-up there are $got, and main has $main"

# status WANTED OPTIONS...: of a diff.
status() {
	local want=$1
	shift
	"$SOFTPMU" diff "$@" >out 2>err
	[ $? = "$want" ] && ok || bad "diff $* has not status $want: $(cat err)"
}
total=$(jq '.events[0].old' d.json)
status 0 old.rec new.rec --limit instructions=+6000 --limit main:instructions=+6000
status 3 old.rec new.rec --limit instructions=+5999
status 3 old.rec new.rec --limit main:instructions=+5999
status 0 old.rec new.rec --limit instructions="$(((600000 + total - 1) / total + 1))%"
status 3 old.rec new.rec --limit main:instructions=20%
grep -q 'main:instructions changed by +6,000' err && ok || bad "it does not say so: $(cat err)"
status 3 old.rec new.rec --limit instructions=1
grep -q '^softpmu: --limit instructions=1 lets the event rise by 1 and no more; instructions=1% is percent$' err && ok || bad "a limit without %: $(cat err)"
status 0 new.rec old.rec --limit @all=0%
status 3 new.rec old.rec --limit @all=0% --both-ways

# Functions of an unnamed namespace pair when the type of a parameter changes.
for which in old:int:100 new:long:300; do
	IFS=: read -r side type turns <<<"$which"
	printf 'namespace { __attribute__((noinline)) void work(%s n) { for (; n; n--) __asm__ volatile(""); } }\nint main() { work(%s); }\n' $type $turns >$side/odd.cpp
	(cd $side && "${CXX:-c++}" -O1 -g -o odd odd.cpp) && "$SOFTPMU" record -q --env clean -e instructions -o $side.odd.rec -- $side/odd 2>err || bad "record: $(cat err)"
done
got=$("$SOFTPMU" diff old.odd.rec new.odd.rec --json | jq -r '.functions[] | select(.function | test("work")) | "\(.old.instructions > 200) \(.new.instructions - .old.instructions)"')
[ "$got" = "true 400" ] && ok || bad "a function of an unnamed namespace: $got"

# Lines that moved because something was written above them are no new ones: the function alone changed.
mkdir -p moved/up && { printf '/* one */\n/* two */\n/* three */\n'; cat old/src/turns.c; } >moved/up/turns.c
(cd moved && "${CC:-cc}" -O1 -g -o turns up/turns.c && "$SOFTPMU" record -q --env clean -e instructions,branches -o ../moved.rec -- ./turns) 2>err || bad "record: $(cat err)"
got=$("$SOFTPMU" diff old.rec moved.rec --json 2>err | jq -c '[.lines[] | select(.function == "turn" or .function == "main")]')
[ "$got" = "[]" ] && ok || bad "lines that moved: $got $(cat err)"
got=$("$SOFTPMU" diff new.rec moved.rec --json 2>err | jq -r '.lines[] | "\(.line) \(.new.instructions - .old.instructions)"')
[ "$got" = "$((line + 3)) -6000" ] && ok || bad "a line that moved and changed: $got $(cat err)"

# A program without lines, and a report with more events than it has columns for, say so.
(cd new && "${CC:-cc}" -O1 -o bare src/turns.c && "$SOFTPMU" record -q --env clean -e instructions,branches,inst_decoded,uops_retired,data_mem_refs -o ../bare.rec -- ./bare) 2>err || bad "record: $(cat err)"
"$SOFTPMU" report --by line bare.rec >out 2>err
grep -q 'lies in functions of .*/new/bare without lines: compile it with -g$' err && grep -q '^ Note: 2 more events are recorded; -e [A-Za-z_,]* shows them$' out && ok || bad "report without lines: $(cat err; tail -n 2 out)"
"$SOFTPMU" diff bare.rec bare.rec >out 2>err
grep -q 'without lines: compile it with -g$' err && ok || bad "diff without lines: $(cat err)"
"$SOFTPMU" report new.rec --by line >out 2>err
grep -q 'without lines' err || grep -q 'more event' out && bad "report with lines: $(cat out err)" || ok

# Options take any spelling of an event that was recorded, and are about that event alone.
"$SOFTPMU" diff old.rec new.rec --sort br_inst_retired --limit inst_retired=+5999 >out 2>err
[ $? = 3 ] && grep -q 'instructions changed by +6,000 .*: --limit inst_retired=+5999 is broken$' err && [ "$(wc -l <err)" = 1 ] &&
	grep -q 'by change of branches:' out && ok || bad "other spellings: $(cat out err)"
"$SOFTPMU" diff old.rec new.rec --limit 0xc0=+6000 --limit c4=1000% >out 2>err && ok || bad "codes: $(cat err)"
"$SOFTPMU" report -e 0xc0 new.rec 2>err | grep -q '^ *instructions  function' && ok || bad "report -e 0xc0: $(cat err)"

# ---- paths ---------------------------------------------------------------------------------------

# The same, as if it had been built on another machine: the path says so, the source is here.
mkdir -p moved/deep/src && cp new/src/turns.c moved/deep/src/
mkdir far
(cd new && "${CC:-cc}" -O1 -g -ffile-prefix-map="$PWD"=/builder/7 -o ../far/turns src/turns.c) || bad "turns.c does not compile"
"$SOFTPMU" record -q --env clean -e instructions -o far.rec -- far/turns 2>err || bad "record: $(cat err)"
file() { "$SOFTPMU" report far.rec --by line --json "$@" 2>err | jq -r 'first(.rows[] | select(.function == "turn")).file'; }
got=$(file)
[ "$got" = /builder/7/src/turns.c ] && ok || bad "the path is $got"
got=$(file --prefix /builder/7=moved/deep)
[ "$got" = moved/deep/src/turns.c ] && ok || bad "--prefix gives $got: $(cat err)"
got=$(file --source-dir moved/deep)
[ "$got" = moved/deep/src/turns.c ] && ok || bad "--source-dir gives $got: $(cat err)"
got=$(file --source-dir old/src)
[ "$got" = old/src/turns.c ] && ok || bad "--source-dir gives $got: $(cat err)"
"$SOFTPMU" annotate turn far.rec --source-dir moved/deep >out 2>err && grep -q '9,001.*LOOP' out && ok || bad "annotate --source-dir: $(cat out err)"
"$SOFTPMU" report far.rec --prefix nothing >out 2>err
[ $? = 125 ] && grep -q 'write OLD=NEW' err && ok || bad "--prefix nothing: $(cat err)"
"$SOFTPMU" report far.rec --source-dir nowhere >out 2>err
[ $? = 125 ] && grep -q 'no such directory' err && ok || bad "--source-dir nowhere: $(cat err)"

# ---- reports of stat --json ----------------------------------------------------------------------

for n in 10 1000; do
	"$SOFTPMU" stat -q --env clean -e instructions,branches,task-clock --json -o $n.json -- seq $n >/dev/null 2>err || bad "stat: $(cat err)"
done
want=$(jq -n --slurpfile a 10.json --slurpfile b 1000.json '$b[0].events[0].value - $a[0].events[0].value')
status 3 10.json 1000.json --limit instructions=1%
"$SOFTPMU" diff 10.json 1000.json --json >out 2>err
[ "$(jq '.events[0] | .new - .old' out)" = "$want" ] && [ "$(jq '.events | length' out)" = 2 ] && ok || bad "diff of reports: $(cat out err)"
status 2 10.json new.rec
status 125 10.json 1000.json --limit main:instructions=1%
"$SOFTPMU" stat -q --env clean -e instructions --json -o one.json -- seq 10 >/dev/null 2>&1
"$SOFTPMU" stat -q --env clean --l1d 32K -e instructions,branches --json -o other.json -- seq 10 >/dev/null 2>&1
status 2 10.json one.json
status 2 10.json other.json
# Estimates: the interval of a change is that of both counts, and a limit within it is left open.
for n in 1 2; do
	jq --argjson n "$n" '.events[0] += {value: (10000 * $n), low: (10000 * $n - 30)}' 10.json >estimate$n.json
done
"$SOFTPMU" diff estimate1.json estimate2.json --json | jq -e '.events[0].half == (([30, 30] | map(. * .) | add) | sqrt)' >/dev/null && ok || bad "the interval"
status 0 estimate1.json estimate2.json --limit instructions=+10043
status 4 estimate1.json estimate2.json --limit instructions=+10042
grep -q 'its interval does not decide --limit instructions=+10042' err && grep -q ' +100.00% +-0.42%$' out && ok || bad "it does not say so: $(cat out err)"
status 4 estimate1.json estimate2.json --limit instructions=+9958
status 3 estimate1.json estimate2.json --limit instructions=+9957
status 3 estimate1.json estimate2.json --limit instructions=+9958 --limit instructions=1%
echo '{"events": 7}' >wrong.json
head -c 300 10.json >cut.json
echo '{"cpu": "pentium3", "events": [{"name": "instructions", "code": 192, "status": "counted", "value": -1}]}' >minus.json
for file in wrong cut minus; do
	status 125 $file.json 10.json
	[ "$(wc -l <err)" = 1 ] && ok || bad "$file.json: $(cat err)"
done

# ---- the program's own lines ---------------------------------------------------------------------

# A string that is copied for each call: all that rises is counted in headers and libraries, and the line that calls is named.
if "${CXX:-c++}" -O1 -g -o old/copies "$here/copies.cpp" 2>err && "${CXX:-c++}" -O1 -g -DBY_VALUE -o new/copies "$here/copies.cpp" 2>err; then
	for which in old new; do
		(cd $which && "$SOFTPMU" record -q --env clean -e instructions -o ../copies-$which.rec -- ./copies 2>err >out &&
			"$SOFTPMU" record -q --env clean --stacks on -e instructions -o ../stacks-$which.rec -- ./copies 2>err >out) || bad "record copies: $(cat $which/err)"
	done
	"$SOFTPMU" report copies-new.rec --json | jq -r '.rows[].function' >functions
	grep -q '^std::.*@plt$' functions && ! grep -q '^_Z.*@plt$' functions && ok || bad "stubs of C++ functions: $(grep '@plt$' functions)"
	"$SOFTPMU" report --by line copies-new.rec >out 2>err
	grep -q 'without lines' err && bad "stubs and libraries of the system are not the user's to compile: $(cat err)" || ok
	call=copies.cpp:$(grep -n 'use(s);' "$here/copies.cpp" | cut -d: -f1)
	for layout in "" --markdown; do
		"$SOFTPMU" diff copies-old.rec copies-new.rec $layout >out 2>err
		grep -A 5 'Lines of the program, with what was inlined there' out | grep -q "$call\>.*main" && ok || bad "diff $layout does not name $call: $(cat out err)"
		grep -q 'stacks=on.* say by which line' out && ok || bad "diff $layout does not say how to find the rest: $(cat out)"
		"$SOFTPMU" diff stacks-old.rec stacks-new.rec $layout >out 2>err
		grep -A 4 'Lines of the program, with all that they called' out | grep -m 1 copies.cpp | grep -q "$call\>.*main" && ok ||
			bad "diff $layout of call paths does not name $call first: $(cat out err)"
	done
	# COLUMNS is heard in a pipe; -v shows names in full, as without it.
	for of in "diff copies-old.rec copies-new.rec" "report copies-new.rec"; do
		"$SOFTPMU" $of >whole 2>err
		COLUMNS=70 "$SOFTPMU" $of >out 2>err
		[ -z "$(awk 'length > 70' out)" ] && grep -q '<[.][.][.]>::' out && [ -n "$(awk 'length > 100' whole)" ] && ok || bad "$of at 70 columns: $(cat out)"
		"$SOFTPMU" $of -v >whole 2>err
		COLUMNS=70 "$SOFTPMU" $of -v >out 2>err
		cmp -s whole out && [ -n "$(awk 'length > 100' out)" ] && ok || bad "$of -v: $(diff whole out)"
	done
	# What that line counts is nearly all of the change, and no instruction is counted for two lines.
	"$SOFTPMU" diff stacks-old.rec stacks-new.rec --json >out 2>err
	got=$(jq --argjson line "${call#*:}" '.events[0].main as $m | [.program_lines[] | select(.line == $line) | .new.instructions - .old.instructions] |
		add / ($m.new - $m.old) | . > 0.9 and . <= 1.01' out)
	[ "$got" = true ] && ok || bad "$call: $(cat out)"
	got=$(jq '.events[0].main.new >= ([.program_lines[].new.instructions] | add)' out)
	[ "$got" = true ] && ok || bad "own lines count more than the program: $(cat out)"
else
	skip "no compiler for C++: own lines behind headers and libraries"
fi

# Records without call paths say where these would help: a function that is entered more often, and libraries, where no own line is known.
cat >often.c <<'END'
static volatile unsigned sum;
static __attribute__((noinline)) void find(unsigned i)
{
	for (unsigned k = 0; k < 20; k++)
		sum += i ^ k;
}
__attribute__((noinline)) void work(void)
{
	for (unsigned i = 0; i < TIMES; i++)
		find(i);
}
void _start(void)
{
	work();
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	for (;;)
		;
}
END
for which in old:1000 new:3000; do
	"${CC:-cc}" -O1 -g -static -nostdlib -nostartfiles -fno-stack-protector -DTIMES="${which#*:}" -o "${which%:*}/often" often.c 2>err || bad "often.c: $(cat err)"
	for stacks in off on; do
		(cd "${which%:*}" && "$SOFTPMU" record -q --env clean --stacks $stacks -e instructions -o "../often-$stacks-${which%:*}.rec" -- ./often 2>err) ||
			bad "record often: $(cat "${which%:*}/err")"
	done
done
"$SOFTPMU" diff often-off-old.rec often-off-new.rec >out 2>err
grep -q "^ Note: find is entered 3,000 times, and was 1,000 times; records made with softpmu record --stacks=on say who calls it (softpmu report --callers 'find')[.]$" out &&
	[ "$(grep -c Note: out)" = 1 ] && ok || bad "a function that is entered more often: $(cat out err)"
"$SOFTPMU" diff often-on-old.rec often-on-new.rec >out 2>err
! grep -q Note: out && "$SOFTPMU" report --callers find often-on-new.rec 2>err | grep -q ' 3,000 .*work' && ok || bad "records with call paths: $(cat out err)"
"$SOFTPMU" diff old.rec new.rec >out 2>err
! grep -q Note: out && ok || bad "a loop that goes round more often: $(cat out err)"
if [ -e copies-old.rec ]; then
	for which in old new; do
		(cd $which && strip -g copies && "$SOFTPMU" record -q --env clean -e instructions -o ../stripped-$which.rec -- ./copies >out 2>err) || bad "record copies: $(cat $which/err)"
	done
	"$SOFTPMU" diff stripped-old.rec stripped-new.rec >out 2>err
	grep -q 'Note: most of the change is in functions of libraries; .*--stacks=on say who called them (softpmu report --callers FUNCTION)[.]$' out && ok ||
		bad "libraries, without own lines: $(cat out err)"
fi

# --inline changes no sum: what is inlined in a function of start-up is start-up.
cat >start.c <<'END'
static volatile int sink;
static inline __attribute__((always_inline)) void spin(int n)
{
	for (int i = 0; i < n; i++)
		sink = i;
}
__attribute__((noinline)) void work(void)
{
	spin(100);
}
void _start(void)
{
	spin(TIMES);
	work();
	__asm__ volatile("syscall" : : "a"(60), "D"(0));
	for (;;)
		;
}
END
for which in old:100 new:300; do
	"${CC:-cc}" -O1 -g -static -nostdlib -nostartfiles -fno-stack-protector -DTIMES="${which#*:}" -o "${which%:*}/start" start.c 2>err || bad "start.c: $(cat err)"
	(cd "${which%:*}" && "$SOFTPMU" record -q --env clean -e instructions,branches -o "../start-${which%:*}.rec" -- ./start 2>err) || bad "record start: $(cat "${which%:*}/err")"
done
"$SOFTPMU" diff start-old.rec start-new.rec --json >plain.json 2>err
"$SOFTPMU" diff start-old.rec start-new.rec --json --inline >inline.json 2>err
[ "$(jq -c .events plain.json)" = "$(jq -c .events inline.json)" ] && [ "$(jq '.events[0].main.new' plain.json)" -lt 1000 ] && ok ||
	bad "--inline moves a sum: $(jq -c .events plain.json inline.json)"
jq -e '.functions == []' inline.json >/dev/null || jq -e '[.functions[].function] == ["[start-up]"]' inline.json >/dev/null && ok || bad "functions: $(cat inline.json)"

# ---- Markdown and GitHub -------------------------------------------------------------------------

"$SOFTPMU" diff old.rec new.rec --markdown --limit instructions=+1 >out 2>err
[ $? = 3 ] && grep -q '^| +6,000 | +[0-9.]*% | `turn` | `turns` |$' out && grep -q "\`turns.c:$line\`" out &&
	grep -q '\*\*is broken\*\*' out && ok || bad "--markdown: $(cat out err)"
github() { GITHUB_STEP_SUMMARY=$work/summary "$SOFTPMU" diff old.rec new.rec --github "$@" >out 2>err; }
: >summary
(cd new && git init -q && git add src && git -c user.name=a -c user.email=a@b commit -qm one) 2>/dev/null
GITHUB_WORKSPACE=new github --limit instructions=+1
grep -q "^::error file=src/turns.c,line=$line,title=instructions +6%2C000::turn: +6,000 of instructions" out && ok || bad "--github: $(cat out err)"
grep -q 'turn' summary && ok || bad "the summary: $(cat summary)"
GITHUB_WORKSPACE=old github --limit instructions=+1 # the file is in another directory
grep -q '^::error title=instructions' out && ! grep -q 'file=' out && ok || bad "a file outside of the checkout is named: $(cat out)"
github
! grep -q '^::' out && ok || bad "an annotation, and no limit is broken"
# A summary that is nearly full is cut behind a whole line, and says so.
head -c $((900 * 1024 - 200)) /dev/zero | tr '\0' 'x' >summary
github
[ "$(wc -c <summary)" -le $((900 * 1024)) ] && tail -n 1 summary | grep -q 'cut here' && ok || bad "the summary has $(wc -c <summary) bytes"
"$SOFTPMU" diff old.rec new.rec --github >out 2>err && grep -q 'GITHUB_STEP_SUMMARY is not set' err && ok || bad "no summary file: $(cat err)"

# Ten annotations at most, and changed files first: twelve functions, of which the least changed one is in a changed file.
"$here/many.sh" 12 100 many-old && "$here/many.sh" 12 300 many-new && "$here/many.sh" 12 300 checkout || bad "many.sh"
for which in old new; do
	(cd many-$which && "$SOFTPMU" record -q --env clean -e instructions -o ../many-$which.rec -- ./many 2>err) || bad "record many"
done
(cd many-new && git init -q && git add ./*.c && git -c user.name=a -c user.email=a@b commit -qm one && echo '/* changed */' >>f1.c &&
	git -c user.name=a -c user.email=a@b commit -qam two) 2>/dev/null || bad "git"
GITHUB_WORKSPACE=many-new GITHUB_STEP_SUMMARY=$work/summary "$SOFTPMU" diff many-old.rec many-new.rec --github --limit instructions=1% >out 2>err
[ "$(grep -c '^::error' out)" = 10 ] && ok || bad "there are $(grep -c '^::error' out) annotations"
grep '^::error' out | head -n 1 | grep -q 'file=f1.c' && ok || bad "a changed file is not the first: $(grep '^::' out | head -n 2)"
grep '^::error' out | sed -n 2p | grep -q 'file=f12.c' && ok || bad "the second is not what changed most: $(grep '^::' out | head -n 3)"

# Names of strangers cannot end a command: a file whose name has a line break, a comma and a colon.
mkdir odd && printf 'int main(void)\n{\n\tfor (volatile int i = 0; i < TIMES; i++)\n\t\t;\n}\n' >'odd/a,b:c
::error::x.c'
for n in 10 1000; do
	(cd odd && "${CC:-cc}" -DTIMES=$n -g -o odd ./*.c && "$SOFTPMU" record -q --env clean -e instructions -o ../odd-$n.rec -- ./odd 2>/dev/null && cp odd ../odd-$n) || bad "odd"
done
GITHUB_WORKSPACE=odd "$SOFTPMU" diff odd-10.rec odd-1000.rec --github --limit instructions=+1 >out 2>err
grep '^ *::' out | grep -v -q '^::error [a-z]' && bad "a name makes a command: $(cat out)" || ok

finish
