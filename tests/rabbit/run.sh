#!/bin/bash
# run.sh -- softpmu rabbit: the command lines of its pages, pairs, samples in rotation, files, registers, refusals.
#
# The program executes 2*N + 4 instructions, so counts are known beforehand.
set -u
. "$(dirname "$0")/../lib.sh"
BUILD=$(realpath "$BUILD")
ROOT=$PWD
SHARE=$BUILD/share/rabbit
GROUPS_DIR=$PWD/catalog/p6/groups
is() { [ "$2" = "$3" ] && ok || bad "$1: $2, not $3"; }
# said WHAT RE COMMAND...: refuses with 125 and one sentence that has RE.
said() {
	local what=$1 re=$2 out rc
	shift 2
	out=$("$@" 2>&1 >/dev/null)
	rc=$?
	[ $rc = 125 ] && [ "$(echo "$out" | wc -l)" = 1 ] && [[ $out =~ $re ]] && ok || bad "$what: $rc: $out"
}
ln -s "$SOFTPMU" "$work/rabbit"
cd "$work" || exit 1
PATH=$work:$PATH
${CC:-gcc} -O1 -Wall -Werror -I"$ROOT/include" -I"$BUILD/include" -o library "$ROOT/tests/rabbit/library.c" \
	"$BUILD/lib/libsoftpmu.a" -lpthread && ok || bad "the library's program does not build"
N=1000000
cat >foo.s <<EOF
	.globl _start
_start:	mov \$$N, %ecx
1:	dec %ecx
	jnz 1b
	mov \$60, %eax
	xor %edi, %edi
	syscall
EOF
as -o foo.o foo.s && ld -static -o foo foo.o || { echo "FAIL the program cannot be built"; exit 1; }
PATH=$work:$PATH
INSNS=$((2 * N + 4))

# count NAME FILE: of the event's line; clocks FILE: the sum over all pairs.
count() { awk -v name="$1" '$1 ~ /^0x/ && $2 == name { gsub(",", "", $3); n += $3 } END { print n }' "$2"; }
clocks() { awk '$1 == "pair" { sub(/.*; /, ""); sub(/ cycles.*/, ""); gsub(",", ""); n += $0 } END { print n }' "$1"; }
CLOCKS=$("$SOFTPMU" stat -x, -e cycles -- ./foo 2>&1 >/dev/null | cut -d, -f1)

# ---- the lines of the pages, by the name of rabbit ----
rabbit -S 2 --e 0xc0,0xc2 -s 1 --os 0 foo 2>out || bad "the first line ends with $?"
is "instructions" "$(count INST_RETIRED:u out)" $INSNS
is "clocks" "$(clocks out)" "$CLOCKS"
grep -q 'events per cycle' out && ok || bad "no events per cycle: $(cat out)"
grep -q 'PerfEvtSel0 *0x004100c0$' out && grep -q 'PerfEvtSel1 *0x000100c2$' out && ok || bad "registers: $(cat out)"
for n in 0 1 2 3 4; do
	rabbit --compare gt$n,le$n --e 0xd0 -s 1 foo 2>out || bad "compare $n ends with $?"
	is "gt$n + le$n" $(($(count INST_DECODED:gt$n out) + $(count INST_DECODED:le$n out))) "$CLOCKS"
	is "gt$n alone" "$(rabbit -S 0 --compare gt$n --e 0xd0 -s 0 foo 2>&1 | awk '$2 == "INST_DECODED:gt'$n'" { print $3; exit }')" \
		"$(awk '$2 == "INST_DECODED:gt'$n'" { print $3 }' out)"
done
is "-p shows L2" "$(rabbit -p | grep -c '^  L2 *512 KB')" 1
is "-mhz 0" "$(rabbit -mhz 0 | head -n 1 | cut -d'(' -f1)" "450 MHz processor clock, 100 MHz bus clock "

# ---- equal to stat ----
rabbit -s 0 --e dcu_lines_in,br_inst_retired foo 2>out
"$SOFTPMU" stat -x, -e dcu_lines_in,br_inst_retired -- ./foo 2>stat >/dev/null
is "-s 0, lines" "$(count DCU_LINES_IN out)" "$(awk -F, '$3 == "dcu_lines_in" { print $1 }' stat)"
is "-s 0, branches" "$(count BR_INST_RETIRED out)" "$(awk -F, '$3 == "br_inst_retired" { print $1 }' stat)"

# ---- rotation: three pairs of the same events see all of the run; -mhz makes seconds short ----
rabbit -S 1 -mhz 4 --e c0,c2 --e c0,c4 --e c4,c0 -output one foo 2>out
is "rotated instructions" "$(count INST_RETIRED out)" $INSNS
is "rotated clocks" "$(clocks out)" "$CLOCKS"
is "a partial sample" "$(grep -c 'the last one partial' out)" 1
rabbit -S 1 -mhz 4 --e c0,c2 --e c0,c4 --e c4,c0 -output two -flush 2 foo 2>again
cmp -s out again && diff -r one two && ok || bad "two runs differ"
is "samples in files" "$(cat one/*.txt | grep -cv '^#')" $(((CLOCKS + 39999) / 40000))
is "instructions in files" "$(awk '!/^#/ { n += FILENAME ~ /03/ ? $5 : $4 } END { print n }' one/*.txt)" $INSNS
is "clocks in files" "$(awk '!/^#/ { n += $3 } END { print n }' one/*.txt)" "$CLOCKS"
is "their names" "$(cd one && echo *)" \
	"01_INST_RETIRED_UOPS_RETIRED.txt 02_INST_RETIRED_BR_INST_RETIRED.txt 03_BR_INST_RETIRED_INST_RETIRED.txt"
is "their first lines" "$(head -qn 1 one/* | sort -u)" "# softpmu rabbit 1"
is "wide lines" "$(cat one/* out | grep -cE '^.{81}')" 0
is "fields of a sample" "$(awk '!/^#/ { print NF - 2 * /partial/ }' one/* | sort -u)" 5
# Samples last 1/100 s, but for the clocks of a block.
is "uneven samples" "$(awk '!/^#/ && !/partial/ && ($3 < 39990 || $3 > 40010)' one/* | wc -l)" 0
# -rotate 4: pair 1 has samples 1 to 4 and 13 to 16.
rabbit -S 0 -mhz 4 -rotate 4 --e c0,c2 --e c0,c4 --e c4,c0 -output four foo 2>/dev/null
is "-rotate" "$(awk '!/^#/ && $1 < 20 { printf "%s ", $1 }' four/01*)" "1 2 3 4 13 14 15 16 "
# -trim 2 leaves four samples of each pair out.
is "-trim" "$(rabbit -mhz 4 -trim 2 --e c0,c2 foo 2>&1 | sed -n 's/ pair 1: \([0-9]*\) .*/\1/p')" \
	$(((CLOCKS + 39999) / 40000 - 4))
rabbit -S 2 -g coverage foo 2>out
[ "$(grep -c '<not sampled>' out)" -gt 50 ] && grep -q 'pairs got no sample: the run had 1, and a round takes' out && ok ||
	bad "not sampled: $(head -n 20 out)"
# By samples: what the samples' rate makes of all clocks. The loop is even, so the estimate is near.
rabbit -S 2 -mhz 4 --e c0,c2 --e c4,c9 foo 2>out
is "whole runs" "$(awk '$1 == "whole" { print $3 }' out | head -n 1)" "$(printf "%'d" $INSNS | sed 's/^\([0-9]\)\(...\)\(...\)$/\1,\2,\3/')"
awk '/an error of/ { e = $(NF - 1) + 0; if (e < -5 || e > 5) exit 1 }' out && [ "$(grep -c 'an error of' out)" = 4 ] && ok ||
	bad "errors of rotation: $(cat out)"

for cpu in pentium pentium-mmx pentiumpro; do
	all=$("$SOFTPMU" stat --cpu $cpu -x, -e cycles ./foo 2>&1 >/dev/null | cut -d, -f1)
	rabbit -cpu $cpu -mhz 4 --e instructions --e instructions foo 2>out
	is "clocks on $cpu" "$(clocks out)" "$all"
done

# ---- stat: pairs of a group stay pairs; turns of one run give near counts of an even loop, the same each time ----
"$SOFTPMU" stat -v --counters 2 -g user-system ./foo 2>&1 >/dev/null | grep 'at a time, in 9 runs' >out
pairs=$(grep -v '^#' "$GROUPS_DIR/user-system.txt" | sed 's/ /,/; s/.*/{&}/')
for pair in $(head -n 5 <<<"$pairs"); do grep -qF "$pair" out && ok || bad "no run is $pair: $(cat out)"; done
TURNING=inst_retired,uops_retired,br_inst_retired,br_taken_retired,cycles
turns() { "$SOFTPMU" stat -x, --counters 2 --rotate 1 -e "$TURNING" "$@"; }
turns ./foo 2>out >/dev/null
turns ./foo 2>&1 >/dev/null | cmp -s - out && ok || bad "turns do not repeat: $(cat out)"
awk -F, -v insns=$INSNS -v clocks="$CLOCKS" '
	function near(x, y) { return x > 0.99 * y && x < 1.01 * y }
	$3 == "inst_retired" || $3 == "uops_retired" { good += near($1, insns) }
	$3 ~ /^br_/ { good += near($1, insns / 2) }
	$3 == "cycles" { good += near($1, clocks) }
	$3 ~ /^(inst_retired|br_inst_retired|cycles)$/ { of += $5 }
	END { exit good != 5 || of < 99.98 || of > 100.02 }' out && ok || bad "turns: $(cat out)"
is "a set without a turn" "$("$SOFTPMU" stat -x, --counters 2 --rotate 100 -e inst_retired,uops_retired,ild_stall ./foo 2>&1 | grep -c '^<not counted>,,ild_stall')" 1
is "a child's counts are added" "$(turns sh -c './foo; ./foo; :' 2>&1 >/dev/null | awk -F, '$3 == "inst_retired" { print ($1 > '$((2 * INSNS))') }')" 1
# Where a turn ends depends on no short cut of the model and on no chunk of the stream.
for cpu in pentium3 pentium; do
	[ $cpu = pentium ] && TURNING=instructions_executed,instructions_executed_v_pipe,data_read,branches,cycles
	turns --cpu $cpu sh -c ./foo 2>&1 >/dev/null | cut -d, -f1-5 >out
	for way in '--memo off' '--chaos 256' '--chaos 32'; do
		turns --cpu $cpu $way sh -c ./foo 2>&1 >/dev/null | cut -d, -f1-5 | cmp -s - out && ok || bad "turns on $cpu with $way differ: $(cat out)"
	done
done
said "--rotate alone" "add --counters 2" "$SOFTPMU" stat --rotate 1 ./foo
said "--rotate and -I" "has no intervals" "$SOFTPMU" stat --rotate 1 --counters 2 -I 10 ./foo
said "--rotate and columns" "one processor" "$SOFTPMU" stat --rotate 1 --counters 2 --cpu pentium,pentium3 -e branches ./foo

# ---- children: samples follow the first process ----
rabbit -S 2 --e c0,c2 sh -c './foo; ./foo; exit 5' 2>out
is "the program's status" $? 5
is "whole run above two children" \
	"$(awk '$1 == "whole" { gsub("[,;]", ""); print ($3 - $6 > '$((2 * INSNS - 1))' && $6 < '$INSNS'); exit }' out)" 1
grep -q 'samples are of the first process' out && ok || bad "no note on children"
is "streams pass through" "$(echo abc | rabbit -o summary tr a-c A-C)" ABC
grep -q INST_RETIRED summary && ok || bad "-o wrote no summary"

# ---- every code, in three spellings, on each processor that has it; elsewhere a sentence names one that does ----
for cpu in pentium pentium-mmx pentiumpro pentium2 pentium3; do
	rabbit -l -cpu $cpu | cut -c3-4 | sort -u >codes.$cpu
	for spelling in 's/^/0x/' '' 's/.*/\U&H/'; do
		n=0
		while read -r line; do
			n=$((n + $(eval "rabbit -I -cpu $cpu $line" | grep -c '^pair')))
		done < <(sed "$spelling; s/^/--e /" codes.$cpu | xargs -n 80)
		is "codes of $cpu as '$spelling'" $n "$(wc -l <codes.$cpu)"
	done
done
is "codes of all" "$(sort -u codes.pentium[^-]* | wc -l)" "$(awk -F'\t' 'length($1) == 4 && $2 != "-" { print $1 }' \
	"$GROUPS_DIR/../events.tsv" | sort -u | wc -l)"
sort -u codes.* >codes
for code in $(comm -23 codes codes.pentium3); do
	out=$(rabbit -I --e "$code" 2>&1) && bad "pentium3 takes $code"
	other=${out#*one of: }
	grep -q "^$code$" "codes.${other%% *}" && ok || bad "$code: $out"
done
said "a code of nobody" "no processor has it" rabbit -I --e 0xff

# ---- registers: each option's field ----
register() { rabbit -I "$@" 2>&1 | awk '/PerfEvtSel|CESR/ { printf "%s ", $2 }'; }
is "default" "$(register --e c0,c2)" "0x004300c0 0x000300c2 "
is "--os" "$(register --e c0,c2 --os 1,0)" "0x004300c0 0x000100c2 "
is "--usr" "$(register --e c0,c2 --usr 0)" "0x004200c0 0x000200c2 "
is "--mesi" "$(register --e 29,2e --mesi 8,0xf)" "0x00430829 0x00030f2e "
is "--mesi elsewhere" "$(register --e c0,65 --mesi 1)" "0x004300c0 0x00032065 "
is "--bus_agent" "$(register --e 65,6f --bus_agent 0,1)" "0x00430065 0x0003206f "
is "--MMX" "$(register --e b3,d8 --MMX 0x30,1)" "0x004330b3 0x000301d8 "
is "--MMX default" "$(register --e b3,d4)" "0x00433fb3 0x00030fd4 "
is "--compare" "$(register --e d0 --compare gt1,le3)" "0x024300d0 0x048300d0 "
is "--duration" "$(register --e 48,c0 --duration 0)" "0x00470048 0x000300c0 "
is "one counter" "$(register --e 11)" "0x00400000 0x00030011 "
is "mask and mask" "$(register --e 29:m:e,r0c29 --mesi 6)" "0x00430429 0x00030429 "
is "CESR" "$(register -cpu pentium --e 16,17 --os 0,1 --duration 1,0)" "0x00d70196 "

# ---- input files: the suggested ones, and their pairs in groups ----
for set in coverage data-references events-vs-cycles user-system; do
	is "$set" "$(rabbit -I -input "$SHARE/$set.rabbit")" "$(rabbit -I -g $set)"
	is "pairs of $set" "$(rabbit -I -g $set | grep -c '^pair')" "$(grep -cv '^#' "$GROUPS_DIR/$set.txt")"
done
printf '# pairs\n\nc0,c2 both of them # why\n0xd0 --compare gt0,le0\nL2_LD --mesi=0xc L2_ST  lines in and out\n' >in
is "a file" "$(register -input in)" "0x004300c0 0x000300c2 0x014300d0 0x018300d0 0x00430c29 0x00030c2a "
is "and the command line" "$(register -input in --mesi 6 --os 0)" \
	"0x004100c0 0x000100c2 0x014100d0 0x018100d0 0x00410429 0x0001042a "
rabbit -s 0 -input in foo 2>&1 | grep -q '^   both of them' && ok || bad "the label is not printed"

# ---- refusals ----
bad_line() { printf '%b' "$2" >bad; said "$1" "line $3: .*$4" rabbit -input bad foo; }
bad_line "a bad code" 'c0 c2\nc0 c3\n' 2 'no processor has it'
bad_line "a bad counter" '# x\n\nc0 c1\n' 3 'counter 0 only'
bad_line "no event" 'c0\n--os 1\n' 2 'an event is missing'
bad_line "a bad switch" 'c0 --foo 1\n' 1 'no switch of a pair'
bad_line "a bad value" 'c0 --os 2\n' 1 '0 or 1 is wanted'
bad_line "no text" 'c0 c2\n\033[2Jc0\n' 2 'no text'
bad_line "a zero" 'c0 c2\nc0\0c2\n' 2 'no text'
bad_line "a long line" "$(head -c 3000 /dev/zero | tr '\0' x)" 1 'longer than'
said "an empty file" "no line of it has a pair" rabbit -input /dev/null foo
said "no file" "No such file" rabbit -input nothing foo
said "no program" "which program" rabbit
said "an unknown option" "no such option" rabbit -bunny foo
said "a near option" "did you mean -rotate" rabbit -rotat 1 foo
said "no value" "missing behind it" rabbit --e
said "a pair that cannot be" "FLOPS. counts on counter 0 only" rabbit --e 0xc2,0xc1 foo
said "three events" "two events make a pair" rabbit --e c0,c1,c2 foo
said "no event" "no such event" rabbit --e hare foo
said "no mask" "one of these" rabbit --MMX 5 --e cc foo
said "nothing" "counts nothing" rabbit --os 0 --usr 0 foo
said "no counter mask" "no counter mask" rabbit --compare gt1 -cpu pentium foo
said "a rate" "up to 100" rabbit -s 101 foo
said "a level" "from 0 to 2" rabbit -S 3 foo
said "a group" "0 .instructions., 2 .L2. and 3" rabbit -g 1 foo
said "no clocks" "no event that counts its clocks" rabbit -cpu toy foo
said "a full directory" "not empty" rabbit -output one foo
said "a file as a directory" "Not a directory" rabbit -output foo.s foo
rabbit ./nothing 2>/dev/null
is "no such program" $? 127
is "wide help" "$(rabbit --help | grep -cE '^.{81}')" 0

# ---- installed: a link in libexec, one in bin on request; uninstall takes both ----
installed() { make -s -C "$ROOT" "$1" BUILD="$BUILD" PREFIX=/opt DESTDIR="$work/root" "${@:2}" >/dev/null; }
mkdir -p root/opt/bin
ln -s "$SOFTPMU" root/opt/bin/softpmu
installed install-rabbit
is "a link in libexec" "$(root/opt/libexec/softpmu/rabbit -p | head -n 1)" "Pentium III (Katmai), 450 MHz, 512 KB L2"
is "none in bin" "$(ls root/opt/bin)" softpmu
is "files" "$(ls root/opt/share/softpmu/rabbit | tr '\n' ' ')" "coverage.rabbit data-references.rabbit events-vs-cycles.rabbit user-system.rabbit "
installed install-rabbit RABBIT=bin
is "a link in bin" "$(root/opt/bin/rabbit -mhz 0 | head -n 1 | cut -d, -f1)" "450 MHz processor clock"
installed uninstall-rabbit
is "nothing is left" "$(cd root/opt && find . ! -type d)" ./bin/softpmu

# ---- the library: a loop measured twice, nothing measured, samples, another program ----
"$SOFTPMU" run --clock model -- ./library --e c0,c4 -S 2 --os 0 mine >out 2>&1
is "library" $? 0
for line in 'rest 2 mine' 'pairs 1 100c0 100c4' 'valid 1 0 0' 'name FLOPS 1' 'nothing 10 0 0' \
	'loop 4002 2000, least 2001, most 2001' 'reads 100 200' 'wrong pair 0: event 0xc1 (FLOPS) counts on counter 0 only.*' \
	'no pair 0: pair 9: the list has 1' 'samples 5, 20 million' ' 5 measurements; 20,.*'; do
	grep -qx "$line" out && ok || bad "library, $line: $(cat out)"
done
"$SOFTPMU" run -- ./library 2>&1 | grep -q 'counter does not count clocks here; run the program as softpmu run --clock model' && ok ||
	bad "a clock that counts instructions is taken"
"$SOFTPMU" run --clock model -- ./library --e c0,c1 2>&1 | grep -q 'library: event 0xc1 .FLOPS. counts on counter 0 only' && ok ||
	bad "a wrong pair on the command line is taken"
if ! grep -q 'GenuineIntel' /proc/cpuinfo; then
	PATH=${SOFTPMU%/*}:$PATH ./library --e c0,c2 command >out 2>&1
	is "pmc_run_command" "$?, $(count INST_RETIRED out)" "0, $INSNS"
fi
finish
