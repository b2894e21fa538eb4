#!/bin/bash
# run.sh -- the page of softpmu html: well-formed, closed to the network and to what names of strangers say, with the numbers of
# report --json; in a browser, where there is one, it does what it says.
#
#   odd.S        a function whose name is markup
#   sum.jq       functions and counts of a report or a page, in one form
#   frames.awk   the frames of its graph of call paths
#   stacks.awk   what the bars of its functions are made of
#   cells.awk    what the tables of a page sum to, by event
#   look.py      in Chromium: no complaint, no request, clicks and keys, light and dark, 400 to 1600 pixels
set -u
. "$(dirname "$0")/../lib.sh"
root=$PWD here=$PWD/tests/html
cd "$work" || exit 1

cp "$root/tests/record/copies.cpp" .
"${CXX:-c++}" -O1 -g -o by-reference copies.cpp && "${CXX:-c++}" -O1 -g -DBY_VALUE -o by-value copies.cpp &&
	"${CC:-cc}" -nostdlib -static -o odd "$here/odd.S" || { echo "FAIL the programs do not compile"; exit 1; }
export SECRET_OF_THE_ENVIRONMENT=unspeakable
for program in by-value by-reference; do
	"$SOFTPMU" record -q --all --tier 2 -o $program.rec -- ./$program >/dev/null 2>err || bad "record $program: $(cat err)"
done
"$SOFTPMU" record -q --cpu pentium-mmx --all --tier 2 -o p5.rec -- ./by-value >/dev/null 2>err || bad "record on a Pentium: $(cat err)"
for program in by-value by-reference; do
	"$SOFTPMU" record -q -e cycles,instructions,resource_stalls -M cpi-stack -o $program.clocks.rec -- ./$program >/dev/null 2>err || bad "record $program with clocks: $(cat err)"
done
for program in by-value by-reference odd; do
	"$SOFTPMU" record -q --stacks on -o $program.paths.rec -- ./$program >/dev/null 2>err || bad "record $program with call paths: $(cat err)"
done
"$SOFTPMU" record -q --cpu pentium -e cycles,PIPELINE_AGI_STALLS -o stalls.rec -- ./odd >/dev/null 2>err || bad "record stalls: $(cat err)"
"$SOFTPMU" record -q -e inst_retired,br_taken_retired -o odd.rec -- ./odd '<script>alert(1)</script>' "$work/x" 2>err || bad "record odd: $(cat err)"
"$SOFTPMU" html by-value.rec -o one.html 2>err && grep -q 'wrote one.html' err && ok || bad "html: $(cat err)"
"$SOFTPMU" html by-value.rec by-reference.rec -o two.html 2>err && ok || bad "html with two records: $(cat err)"
"$SOFTPMU" html p5.rec -o p5.html 2>err && ok || bad "html of a Pentium: $(cat err)"
"$SOFTPMU" html by-value.clocks.rec -o clocks.html 2>err && ok || bad "html with clocks: $(cat err)"
"$SOFTPMU" html by-value.clocks.rec by-reference.clocks.rec -o clocks2.html 2>err && ok || bad "html of two records with clocks: $(cat err)"
"$SOFTPMU" html by-value.paths.rec -o paths.html 2>err && ok || bad "html with call paths: $(cat err)"
"$SOFTPMU" html by-value.paths.rec by-reference.paths.rec -o paths2.html 2>err && ok || bad "html of two records with call paths: $(cat err)"
"$SOFTPMU" html odd.paths.rec -o odd.paths.html 2>err && ok || bad "html of odd call paths: $(cat err)"
"$SOFTPMU" html stalls.rec -o stalls.html 2>err && ok || bad "html with stalls: $(cat err)"
"$SOFTPMU" html odd.rec -o odd.html 2>err && ok || bad "html of odd names: $(cat err)"

# data PAGE: what its script reads.
data() { sed -n 's/^<script type="application\/json" id="data">\(.*\)<\/script>$/\1/p' "$1"; }

# ---- numbers ---------------------------------------------------------------------------------------

for page in one:by-value two:by-value p5:p5 odd:odd clocks:by-value.clocks clocks2:by-value.clocks paths:by-value.paths paths2:by-value.paths; do
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

# ---- clocks ----------------------------------------------------------------------------------------

# Shares of the program sum to 100.0 %; what the boxes lost is all but what retired.
for page in clocks clocks2; do
	shares=$(grep -o 'data-part="[a-z0-9_]*">[0-9.]*' $page.html | sed 's/.*>//; s/\.//' | awk '{ n += $1 } END { print n }')
	[ "$shares" = 1000 ] && ok || bad "$page: the shares of the clocks sum to $shares thousandths"
	lost=$(grep -o 'data-lost="[0-9]*"' $page.html | tr -dc '0-9\n' | awk '{ n += $1 } END { print n }')
	useful=$(grep -o 'data-part="cpi_stack_retiring">[0-9.]*' $page.html | sed 's/.*>//; s/\.//')
	[ "$((lost + useful))" = 1000 ] && ok || bad "$page: $lost thousandths are lost and $useful retire"
done
# Slots of each function in its bar are those of report --json.
"$SOFTPMU" report by-value.clocks.rec --json >report.json
"$SOFTPMU" report by-value.clocks.rec --json | jq -r '.rows[] | .function as $f | .counts | to_entries[] | select(.key | startswith("RETIREMENT")) | select(.value > 0) | "\($f)\t\(.key)\t\(.value)"' | LC_ALL=C sort >slots
LC_ALL=C awk -f "$here/stacks.awk" clocks.html | LC_ALL=C sort >drawn
[ "$(wc -l <drawn)" -gt 100 ] && [ -z "$(LC_ALL=C comm -23 drawn slots)" ] && ok || bad "bars have other counts: $(LC_ALL=C comm -23 drawn slots | head -n 2)"
# Without clocks the page says what to record; with stalls alone they stand there, with their share of the clocks.
grep -q 'This record does not say where clocks went.*softpmu record -e cycles,instructions -M cpi-stack' one.html && ok || bad "no advice"
grep -q 'data-part="PIPELINE_AGI_STALLS">[0-9.]* %' stalls.html && ok || bad "stalls: $(grep data-part stalls.html)"

# ---- call paths ------------------------------------------------------------------------------------

# Frames with what was left out of them: the first is all, and no frame's children are more than it; each function's outermost frames
# are its row of report --inclusive where no frame of it was left out (main, and what it calls a thousand times).
"$SOFTPMU" report by-value.paths.rec --inclusive --json >inclusive.json
LC_ALL=C awk -f "$here/frames.awk" paths.html >frames
total=$("$SOFTPMU" report by-value.paths.rec --json | jq '.totals.INST_RETIRED')
[ "$(head -n 1 frames | cut -f 2)" = "$total" ] && ok || bad "the frame of all has $(head -n 1 frames), not $total"
[ "$(grep -c 'more than its caller' frames)" = 0 ] && ok || bad "$(grep 'more than its caller' frames | head -n 1)"
for f in main 'use(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)' operator_new free dl_main; do
	[ "$f" = operator_new ] && f='operator new(unsigned long)'
	want=$(jq --arg f "$f" '[.rows[] | select(.function == $f) | .counts.INST_RETIRED] | add' inclusive.json)
	got=$(awk -F '\t' -v f="$f" '$1 == f && $3 == "outermost" { n += $2 } END { print n + 0 }' frames)
	least=$((total / 1000))
	[ "$got" -le "$want" ] && [ "$((want - got))" -lt "$((10 * least))" ] && [ "$got" -gt 0 ] && ok || bad "frames of $f have $got, report --inclusive $want"
done
main=$(jq '[.rows[] | select(.function == "main") | .counts.INST_RETIRED] | add' inclusive.json)
[ "$(awk -F '\t' '$1 == "main" { print $2 }' frames)" = "$main" ] && ok || bad "the frame of main has not $main instructions"
# Without call paths the page says what to record. What a stranger calls a function is text.
grep -q 'This record has no call paths. <code>softpmu record --stacks on' one.html && ok || bad "no advice for call paths"
grep -qF "<text x=\"5\" y=\"15\">&lt;b&gt;&amp;'&lt;/script&gt;</text>" odd.paths.html && ok || bad "a frame of an odd name: $(grep -c '<text x="5"' odd.paths.html)"
# Of two records a frame has both counts: use is one function that takes its argument otherwise.
frame=$(grep '<text x="5" y="15">use(std' paths2.html | head -n 1)
was=$("$SOFTPMU" report by-reference.paths.rec --inclusive --json | jq '[.rows[] | select(.function | startswith("use(")) | .counts.INST_RETIRED] | add')
[ "$(echo "$frame" | wc -l)" = 1 ] && echo "$frame" | grep -q "data-b=\"$was," && ok || bad "the old count of use is not $was: $frame"

# ---- sources of both -------------------------------------------------------------------------------

# The line that calls, with the counts of both runs: diff's, to the digit.
want=$("$SOFTPMU" report by-value.paths.rec --by line --json | jq '[.rows[] | select((.file // "") | endswith("copies.cpp")) | select(.line == 24) | .counts.INST_RETIRED] | add')
was=$("$SOFTPMU" report by-reference.paths.rec --by line --json | jq '[.rows[] | select((.file // "") | endswith("copies.cpp")) | select(.line == 24) | .counts.INST_RETIRED] | add')
grep '<code>		use(s);</code>' paths2.html | grep -q "<td class=\"n old\">$(echo "$was" | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta')</td><td class=\"n\" data-event=\"INST_RETIRED\" data-value=\"$want\"" && ok ||
	bad "line 24 has not $was and $want: $(grep '<code>		use(s);</code>' paths2.html)"

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

for page in one two p5 odd clocks clocks2 paths paths2 odd.paths; do
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
! grep -q 'for (char c : s)' bare.html && grep -q 'id="functions"' bare.html && ok || bad "--no-source leaves sources"
# Names of files, relative, and the lines that counted stay: the same numbers as with the text.
grep -q '<bdi>copies.cpp</bdi> (its text is left out)' bare.html && ! grep -qF "$work" bare.html && ok || bad "--no-source: $(grep -o 'scope="rowgroup".*' bare.html | head -n 3)"
numbers() { sed -n '/id="sources"/,$p' "$1" | grep -v 'class="quiet"\|class="gap"' | grep -o '^<tr><td.*class="n line">[0-9]*'; }
[ -n "$(numbers bare.html)" ] && [ "$(numbers bare.html)" = "$(numbers one.html)" ] && ok || bad "--no-source has other lines"

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
refused 2 "two processors" p5.rec by-value.rec -o kept.html
refused 2 "record both with the same -e" odd.rec by-value.rec -o kept.html
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

finish
