#!/bin/bash
# exports.sh -- softpmu export: every format has the record's totals, and the stacks are those of report --inclusive.
#
# The formats are read here by jq, awk and a reader of profile.proto in Python; go tool pprof reads it, too, where it is there.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/paths
mapfile -t formats < <(sed -n 's/^FORMAT(\([a-z]*\),.*/\1/p' src/cli/export/formats.def)
CC=${CC:-cc}
cd "$work" || exit 1

"$CC" -O1 -g -o jump "$here/jump.c" && "$CC" -O1 -g -o many "$here/many.c" -pthread || { echo "FAIL the programs do not compile"; exit 1; }
# jump with call paths; many has three processes; flat has no call paths.
"$SOFTPMU" record -q --env clean --stacks on --all --tier 2 -o jump.rec -- ./jump >/dev/null 2>err || bad "record jump: $(cat err)"
"$SOFTPMU" record -q --env clean --stacks on --all --tier 2 -o many.rec -- ./many >/dev/null 2>err || bad "record many: $(cat err)"
"$SOFTPMU" record -q --env clean --all --tier 2 -o flat.rec -- ./many >/dev/null 2>err || bad "record many: $(cat err)"

for name in jump many flat; do
	"$SOFTPMU" report $name.rec --json | jq -S -c .totals >$name.totals
	[ "$(jq length $name.totals)" -gt 50 ] && ok || bad "$name: report has $(jq length $name.totals) totals"
	for format in pprof speedscope collapsed bencher; do
		"$SOFTPMU" export $format $name.rec -o $name.$format 2>err || bad "export $format $name: $(cat err)"
		case $name-$format in
		flat-bencher) [ ! -s err ] && ok || bad "export $format $name says: $(cat err)" ;;
		flat-*) grep -q 'has no call paths' err && ok || bad "export $format of a record without call paths says: $(cat err)" ;;
		*) [ ! -s err ] && ok || bad "export $format $name says: $(cat err)" ;;
		esac
	done
done

# ---- speedscope ------------------------------------------------------------------------------------

for name in jump many flat; do
	# what the schema requires, frames that exist, as many weights as samples
	jq -e '.["$schema"] == "https://www.speedscope.app/file-format-schema.json" and (.shared.frames | all(.name | type == "string")) and
		(.shared.frames | length) as $n | (.profiles | length > 0) and (.activeProfileIndex < (.profiles | length)) and
		(.profiles | all(.type == "sampled" and .unit == "none" and (.name | type == "string") and .startValue == 0 and
			(.endValue == (.weights | add // 0)) and (.samples | length) == (.weights | length) and
			(.samples | all(length > 0 and all(. >= 0 and . < $n)))))' $name.speedscope >/dev/null && ok || bad "speedscope $name is not as its schema"
	jq -S -c '[.profiles[] | {key: .name, value: (.weights | add // 0)}] | from_entries' $name.speedscope >sums
	cmp -s sums $name.totals && ok || bad "speedscope $name does not sum to the totals"
done
# inclusive FUNCTION: what the stacks with it counted
inclusive() {
	jq --arg f "$1" '[.shared.frames | to_entries[] | select(.value.name == $f).key] as $k | .profiles[] | select(.name == "INST_RETIRED") |
		[.samples, .weights] | transpose | map(select(.[0] | any(. as $i | $k | index($i)))[1]) | add' jump.speedscope
}
"$SOFTPMU" report jump.rec --inclusive --json >jump.json
for function in main catcher after jumper; do
	want=$(jq --arg f $function '.rows[] | select(.function == $f).counts.INST_RETIRED' jump.json)
	[ -n "$want" ] && [ "$(inclusive $function)" = "$want" ] && ok || bad "speedscope: $function has $(inclusive $function), the report $want"
done
jq -r '.shared.frames[].name' many.speedscope | grep -qx '1.1 many' && ok || bad "speedscope does not name the processes"

# ---- collapsed -------------------------------------------------------------------------------------

for name in jump many flat; do
	for event in INST_RETIRED DCU_LINES_IN; do
		"$SOFTPMU" export collapsed $name.rec -e $event >collapsed 2>/dev/null
		want=$(jq ".$event" $name.totals) got=$(awk '{ n += $NF } END { print n }' collapsed)
		[ "$got" = "$want" ] && ok || bad "collapsed $name: $event sums to $got, not $want"
		sort -c collapsed 2>/dev/null || LC_ALL=C sort -c collapsed || bad "collapsed $name is not sorted"
		[ "$(sed 's/ [^ ]*$//' collapsed | sort | uniq -d | wc -l)" = 0 ] && ok || bad "collapsed $name has a stack twice"
	done
done
"$SOFTPMU" export collapsed jump.rec -e inst_retired >collapsed
got=$(awk '/(^|;)main;.*catcher/ { n += $NF } END { print n }' collapsed)
want=$(jq '.rows[] | select(.function == "catcher").counts.INST_RETIRED' jump.json)
[ "$got" = "$want" ] && ok || bad "collapsed: stacks with catcher have $got, the report $want"

# ---- Bencher ---------------------------------------------------------------------------------------

for name in jump many flat; do
	jq -S -c 'to_entries[0].value | with_entries(.value |= .value)' $name.bencher >got
	jq -S -c 'with_entries(.key |= (ascii_downcase | gsub("[^a-z0-9]"; "-")))' $name.totals >want
	cmp -s got want && ok || bad "bencher $name: $(diff got want | head -n 2 | cut -c1-300)"
	jq -e 'length == 1 and (.[] | all(.lower_value == .value and .upper_value == .value and (keys | length) == 3))' $name.bencher >/dev/null && ok ||
		bad "bencher $name is not Bencher's metric format"
done
jq -e 'has("./jump")' jump.bencher >/dev/null && ok || bad "bencher: the benchmark is not called as the command"

# ---- pprof -----------------------------------------------------------------------------------------

if python3 -c 'import gzip, json' 2>/dev/null; then
	for name in jump many flat; do
		gzip -t $name.pprof 2>err && ok || bad "pprof $name is no gzip: $(cat err)"
		python3 "$here/pprof.py" $name.pprof >read 2>err || bad "pprof.py $name: $(tail -n 1 err)"
		jq -S -c .totals read >sums
		cmp -s sums $name.totals && ok || bad "pprof $name does not sum to the totals: $(cat err)"
		[ "$(jq .faults read)" = 0 ] && ok || bad "pprof $name: $(jq -c .fault read)"
	done
	python3 "$here/pprof.py" jump.pprof >read
	for function in main catcher after jumper; do
		got=$(jq --arg f $function '.inclusive[$f].INST_RETIRED' read) want=$(jq --arg f $function '.rows[] | select(.function == $f).counts.INST_RETIRED' jump.json)
		[ -n "$want" ] && [ "$got" = "$want" ] && ok || bad "pprof: $function has $got, the report $want"
	done
else
	echo "note: no python3 with gzip and json here: pprof's format is not read"
fi
if command -v go >/dev/null; then
	for name in jump many flat; do
		export HOME=$work PPROF_TMPDIR=$work
		go tool pprof -raw $name.pprof >raw 2>err || bad "go tool pprof -raw $name: $(cat err)"
		grep -qx "File: ${name/flat/many}" <(go tool pprof -top $name.pprof 2>/dev/null) && ok || bad "go tool pprof names another program than $name"
		got=$(awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && $1 ~ /\/count/ { for (i = 1; i <= NF; i++) if ($i ~ /^INST_RETIRED\//) k = i } on && /:/ && k { split($0, f, ":"); split(f[1], v, " "); if (v[1] ~ /^-?[0-9]+$/) n += v[k] } END { print n }' raw)
		[ "$got" = "$(jq .INST_RETIRED $name.totals)" ] && ok || bad "go tool pprof -raw $name sums to $got"
		go tool pprof -top -cum -sample_index=INST_RETIRED -nodecount=0 -nodefraction=0 $name.pprof >top 2>err && grep -q ' main$' top && ok ||
			bad "go tool pprof -top $name: $(cat err; head -n 8 top)"
	done
else
	echo "note: no go here (Debian: golang-go): go tool pprof has not read the export"
fi

# ---- files and what is refused ---------------------------------------------------------------------

for format in "${formats[@]}"; do
	"$SOFTPMU" export $format jump.rec >one && "$SOFTPMU" export $format jump.rec -o two && cmp -s one two && ok || bad "export $format twice differs"
done
echo old >kept
ln -s /dev/full full
"$SOFTPMU" export pprof jump.rec -o full 2>err
[ $? = 125 ] && grep -q 'export -o full: it could not be written completely' err && ok || bad "export to a full disk says: $(cat err)"
"$SOFTPMU" export pprof jump.rec >/dev/full 2>err
[ $? = 125 ] && [ "$(wc -l <err)" = 1 ] && ok || bad "export >/dev/full says: $(cat err)"
mkdir dir
"$SOFTPMU" export pprof jump.rec -o dir 2>err
[ $? = 125 ] && grep -q 'export -o dir: cannot write it' err && [ -z "$(ls -A dir; ls dir.* 2>/dev/null)" ] && ok || bad "export -o DIRECTORY says: $(cat err)"
head -c 1000 jump.rec >cut.rec
"$SOFTPMU" export pprof cut.rec -o kept 2>err
[ $? = 125 ] && [ "$(cat kept)" = old ] && grep -q 'cut off' err && ok || bad "export of a cut record says: $(cat err)"
printf -v there_are '%s, ' "${formats[@]:0:${#formats[@]}-1}"
there_are="there are ${there_are%, } and ${formats[-1]}"
"$SOFTPMU" export perfetto jump.rec >out 2>err
[ $? = 125 ] && [ ! -s out ] && grep -q "$there_are" err && ok || bad "export perfetto says: $(cat err)"
"$SOFTPMU" export bencher jump.rec -e inst_retired >out 2>err
[ $? = 125 ] && [ ! -s out ] && grep -q 'has all events' err && ok || bad "export bencher -e says: $(cat err)"
"$SOFTPMU" export collapsed jump.rec -e inst_retird >out 2>err
[ $? = 125 ] && [ ! -s out ] && grep -q 'INST_RETIRED' err && ok || bad "export collapsed -e inst_retird says: $(cat err)"

finish
