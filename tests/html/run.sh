#!/bin/bash
# run.sh -- the page of softpmu html: well-formed, closed to the network and to what names of strangers say, with the numbers of
# report --json; in a browser, where there is one, it does what it says.
#
#   odd.S        a function whose name is markup
#   sum.jq       functions and counts of a report or a page, in one form
#   cells.awk    what the tables of a page sum to, by event
#   look.py      in Chromium: no complaint, no request, clicks and keys, light and dark, 400 to 1600 pixels
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
SOFTPMU=$(realpath "${SOFTPMU:-$BUILD/softpmu}")
root=$PWD here=$PWD/tests/html
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
cd "$work" || exit 1

cp "$root/tests/record/copies.cpp" .
"${CXX:-c++}" -O1 -g -o by-reference copies.cpp && "${CXX:-c++}" -O1 -g -DBY_VALUE -o by-value copies.cpp &&
	"${CC:-cc}" -nostdlib -static -o odd "$here/odd.S" || { echo "FAIL the programs do not compile"; exit 1; }
export SECRET_OF_THE_ENVIRONMENT=unspeakable
for program in by-value by-reference; do
	"$SOFTPMU" record -q --all --tier 2 -o $program.rec -- ./$program >/dev/null 2>err || bad "record $program: $(cat err)"
done
"$SOFTPMU" record -q --cpu pentium-mmx --all --tier 2 -o p5.rec -- ./by-value >/dev/null 2>err || bad "record on a Pentium: $(cat err)"
"$SOFTPMU" record -q -e inst_retired,br_taken_retired -o odd.rec -- ./odd '<script>alert(1)</script>' "$work/x" 2>err || bad "record odd: $(cat err)"
"$SOFTPMU" html by-value.rec -o one.html 2>err && grep -q 'wrote one.html' err && ok || bad "html: $(cat err)"
"$SOFTPMU" html by-value.rec by-reference.rec -o two.html 2>err && ok || bad "html with two records: $(cat err)"
"$SOFTPMU" html p5.rec -o p5.html 2>err && ok || bad "html of a Pentium: $(cat err)"
"$SOFTPMU" html odd.rec -o odd.html 2>err && ok || bad "html of odd names: $(cat err)"

# data PAGE: what its script reads.
data() { sed -n 's/^<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1"; }

# ---- numbers ---------------------------------------------------------------------------------------

for page in one:by-value two:by-value p5:p5 odd:odd; do
	record=${page#*:}.rec page=${page%:*}
	"$SOFTPMU" report "$record" --json >report.json || bad "report $record"
	data $page.html | jq -S -f "$here/sum.jq" >shown
	jq -S -f "$here/sum.jq" report.json >counted
	# a function that only the old record has counts nothing in the new one
	jq 'map(select([.c[]] | any(. != 0)))' shown >shown.some
	jq 'map(select([.c[]] | any(. != 0)))' counted >counted.some
	[ "$(jq length counted.some)" -gt 0 ] && cmp -s shown.some counted.some && ok ||
		bad "$page: functions are not those of report --json: $(diff shown.some counted.some | head -n 4 | tr '\n' ' ')"
	jq -r '.totals | to_entries[] | "\(.key) \(.value)"' report.json | sort >totals
	data $page.html | jq -r '.events[] | "\(.name) \(.total)"' | sort | cmp -s - totals && ok || bad "$page: totals of the data"
	for part in totals units functions; do
		awk -v part=$part -f "$here/cells.awk" $page.html | sort >cells
		case $part in
		functions) join totals cells | awk '$2 != $3' >odd.cells; n=$(wc -l <cells) ;; # four events or fewer
		*) join totals cells | awk '$2 != $3' >odd.cells; n=$(($(wc -l <cells) == $(wc -l <totals))) ;;
		esac
		[ "$n" -gt 0 ] && [ ! -s odd.cells ] && ok || bad "$page: $part: $n, $(head -n 2 odd.cells)"
	done
done
# In the picture, too.
grep -o 'data-event="[A-Z0-9_]*" data-value="[0-9]*"><title>' one.html | sed 's/data-event="\([^"]*\)" data-value="\([0-9]*\)".*/\1 \2/' | sort >drawn
"$SOFTPMU" report by-value.rec --json | jq -r '.totals | to_entries[] | "\(.key) \(.value)"' | sort >totals
[ "$(wc -l <drawn)" -gt 30 ] && [ -z "$(comm -23 drawn totals)" ] && ok || bad "the picture has other numbers: $(comm -23 drawn totals | head -n 2)"
# A thousand calls, a line for each of 200 letters: predicted.
data one.html | jq -e '.events as $e | ([$e[].name] | index("INST_RETIRED")) as $i | [.rows[] | select(.f // "" | startswith("use("))][0].c[$i] > 1000 * 200 * 3' >/dev/null &&
	ok || bad "the function use has too few instructions"
# -x has the same rows.
"$SOFTPMU" report odd.rec -x';' >fields
[ "$(head -n 1 fields)" = "function;object;inst_retired;br_taken_retired" ] && grep -qF "<b>&'</script>;$work/odd;2002;1000" fields && ok ||
	bad "report -x: $(cat fields)"

# ---- units -----------------------------------------------------------------------------------------

for page in one:p6 p5:p5; do
	family=${page#*:} page=${page%:*}
	awk -F '\t' '/^[^#]/ { sub(/\..*/, "", $1); print $1 }' "$root/catalog/$family/wires.tsv" | sort -u >known
	grep -o 'data-unit="[^"]*"' $page.html | cut -d '"' -f 2 | sort -u >units
	[ "$(wc -l <units)" -gt 10 ] && [ -z "$(comm -23 units known)" ] && ok || bad "$page: no unit: $(comm -23 units known)"
	# Each that is drawn has an id and a text.
	grep -o '<g class="box"[^>]* data-unit="[^"]*"' $page.html | sed 's/.*data-unit="\([^"]*\)"/\1/' | sort -u >drawn
	grep -o '<g class="box" id="[^"]*" data-unit="[^"]*"' $page.html | awk -F '"' '$4 == $6 { print $4 }' | sort >ids
	cmp -s drawn ids && ok || bad "$page: units without an id of their name: $(diff drawn ids | head -n 3)"
	for unit in $(cat drawn); do grep -q "id=\"unit-$unit\"" $page.html || bad "$page: no text about $unit"; done
	[ -z "$(grep -o ' id="[^"]*"' $page.html | sort | uniq -d)" ] && ok || bad "$page: ids stand twice: $(grep -o ' id="[^"]*"' $page.html | sort | uniq -d)"
	# Links lead somewhere.
	grep -o 'href="#[^"]*"' $page.html | cut -d '#' -f 2 | tr -d '"' | sort -u | while read -r to; do grep -q " id=\"$to\"" $page.html || echo "$to"; done >lost
	[ ! -s lost ] && ok || bad "$page: links to nothing: $(cat lost)"
done

# ---- closed to strangers ---------------------------------------------------------------------------

for page in one two p5 odd; do
	want=$(grep -o "script-src 'sha256-[^']*'" $page.html | cut -d "'" -f 2)
	# the script: from its tag, which has no attribute, to the end of that element
	got=$(sed -n '/^<script>/,/^<\/script>/p' $page.html | sed '1s/^<script>//; $d' | sha256sum | cut -c 1-64 | sed 's/../\\x&/g')
	got=sha256-$(env printf "$got" | base64)
	[ -n "$want" ] && [ "$want" = "$got" ] && ok || bad "$page: the policy names $want, the script is $got"
	[ "$(grep -c '<script' $page.html)" = 2 ] && ok || bad "$page: more scripts than two"
	grep -q "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[^']*'; img-src data:" $page.html && ok || bad "$page: the policy"
	grep -oE '(src|href|action|data|poster)="[^#"][^"]*"|url\([^)]*\)|@import' $page.html | grep -v '^href="data:,"$' >links
	[ ! -s links ] && ok || bad "$page: leads elsewhere: $(head -n 1 links)"
	[ -z "$(grep -oE '<[a-z]+[^>]* on[a-z]+=' $page.html)" ] && ok || bad "$page: a handler in markup"
	grep -q 'unspeakable\|SECRET_OF' $page.html && bad "$page: the environment is told" || ok
	grep -qF "$work" $page.html && bad "$page: a path below this directory is whole" || ok
	# A short name may be a part of anything.
	[ "$(hostname | wc -c)" -gt 6 ] && grep -qwF "$(hostname)" $page.html && bad "$page: the host is told" || ok
	if python3 -c 'import xml.parsers.expat' 2>/dev/null; then
		python3 -c 'import sys, xml.parsers.expat as x; x.ParserCreate().ParseFile(open(sys.argv[1], "rb"))' $page.html 2>err && ok ||
			bad "$page: not well-formed: $(tail -n 1 err)"
	fi
done
grep -qF '<b>&' odd.html && bad "a function's name is markup" || ok
grep -qF '<script>alert' odd.html && bad "an argument is markup" || ok
grep -qF "&lt;b&gt;&amp;'&lt;/script&gt;" odd.html && ok || bad "the function's name is not shown"
grep -qF './odd &lt;script&gt;alert(1)&lt;/script&gt; x' odd.html && ok || bad "the command is not shown: $(grep '<h1' odd.html)"

# Sources are there, or not.
grep -q '<code>	for (char c : s)</code>' one.html && ok || bad "no source line"
"$SOFTPMU" html by-value.rec --no-source -o bare.html 2>/dev/null
! grep -q 'for (char c : s)\|id="sources"' bare.html && grep -q 'id="functions"' bare.html && ok || bad "--no-source leaves sources"

# Sources that lie elsewhere are found; without them there are numbers of lines.
mkdir elsewhere && mv copies.cpp elsewhere/
"$SOFTPMU" html by-value.rec -o moved.html 2>/dev/null && grep -q '(the source is not here)' moved.html && ! grep -q 'for (char c : s)' moved.html && ok ||
	bad "a source that is gone"
"$SOFTPMU" html by-value.rec --prefix "$work=elsewhere" -o moved.html 2>/dev/null && grep -q '<code>	for (char c : s)</code>' moved.html && ok ||
	bad "--prefix does not find the source"
"$SOFTPMU" html by-value.rec --source-dir elsewhere -o moved.html 2>/dev/null && grep -q '<code>	for (char c : s)</code>' moved.html && ok ||
	bad "--source-dir does not find the source"
mv elsewhere/copies.cpp .

# The same record gives the same page.
"$SOFTPMU" html by-value.rec -o - 2>/dev/null | cmp -s - one.html && ok || bad "a second page differs"

# ---- bad input -------------------------------------------------------------------------------------

# refused STATUS WORDS OPTIONS
refused() {
	local status=$1 words=$2
	shift 2
	"$SOFTPMU" html "$@" >out 2>err
	[ $? = "$status" ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$words" err && ok || bad "html $*: $(cat out err)"
}
head -c 700 by-value.rec >short.rec
cp one.html kept.html
refused 125 "there is no record" nothing.rec
refused 125 "is cut off" short.rec -o kept.html
refused 2 "two machines" p5.rec by-value.rec -o kept.html
refused 2 "different events" odd.rec by-value.rec -o kept.html
refused 125 "two records are the most" odd.rec odd.rec odd.rec
refused 125 "cannot write it" odd.rec -o nowhere/x.html
mkdir dir
refused 125 "cannot write it" odd.rec -o dir
cmp -s one.html kept.html && [ -z "$(ls | grep 'html\.[0-9]')" ] && ok || bad "an error changes the page that was there, or leaves parts"

# ---- in a browser ----------------------------------------------------------------------------------

if ! command -v chromium >/dev/null; then
	echo "note: no chromium (Debian: chromium): what the page's script does is not tested"
elif ! python3 -c 'import json, base64, subprocess' 2>/dev/null; then
	echo "note: no whole python3: what the page's script does is not tested"
else
	"$SOFTPMU" report by-value.rec --json >report.json
	timeout 200 python3 "$here/look.py" "$work" >out 2>&1 || bad "look.py: $(tail -n 1 out)"
	grep FAIL out
	line=$(grep ' passed, ' out || echo "0 passed, 1 failed")
	passed=$((passed + ${line%% passed*})) n=${line#*, }
	failed=$((failed + ${n%% failed*}))
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
