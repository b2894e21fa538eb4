#!/bin/bash
# pipes.sh -- softpmu asm --from and annotate --pipes: loops of compiled code have the clocks that the test predicts and the run takes,
# what cannot be timed is refused in a sentence, and damaged files are.
#
#   loops.S   functions whose loops are known
set -u
. "$(dirname "$0")/../lib.sh"
root=$PWD
cd "$work" || exit 1
"${CC:-cc}" -c -o loops.o "$root/tests/record/loops.S" && "${CC:-cc}" -nostdlib -static -o loops loops.o &&
	cp loops bare && strip bare || { echo "FAIL the program does not compile"; exit 1; }
printf 'struct s { int f(int); };\nint s::f(int n) { int t = 1; for (int i = 0; i < n; i++) t *= 3; return t; }\n' >member.cpp
"${CXX:-c++}" -O1 -c -o member.o member.cpp && "${CXX:-c++}" -shared -o member.so member.o || bad "member.cpp does not compile"

# ---- asm --from ------------------------------------------------------------------------------------

# A multiplication waits four clocks for the one before it; so says asm of the same text, too.
for file in loops loops.o; do
	got=$("$SOFTPMU" asm --cpu pentium3 --from $file:chain 2>err | grep 'clocks per iteration')
	[ "${got%%(*}" = " 4.00 clocks per iteration " ] && ok || bad "$file:chain: '$got' $(cat err)"
done
typed=$("$SOFTPMU" asm --cpu pentium3 --no-run --bits 64 '1: imul eax, eax; dec ecx; jnz 1b' | grep 'clocks per iteration')
[ "${typed%%(*}" = "${got%%(*}" ] && ok || bad "typed: '$typed', compiled: '$got'"
"$SOFTPMU" asm --cpu pentium3 --from loops:two+10 >out 2>err && grep -q '^A loop of two, bytes e to 13' out && grep -q ' e: add eax, ecx' out && ok || bad "two+10: $(head -n 1 out) $(cat err)"
"$SOFTPMU" asm --cpu pentium3 --from loops:straight >out 2>err && grep -q '^The code of straight, bytes 0 to 5' out && grep -q '(2 instructions)' out && ok ||
	bad "straight: $(cat out err)"
"$SOFTPMU" asm --cpu pentium3 --from loops:bent >out 2>err
grep -q 'returns$' err && ok || bad "bent: $(cat out err)"
"$SOFTPMU" asm --cpu pentium3 --from 'member.so:s::f' >out 2>err && grep -q '^A loop of s::f' out && ok || bad "s::f: $(cat out err)"
"$SOFTPMU" asm --cpu pentium3 --from 'member.so:_ZN1s1fEi' >out 2>err && grep -q '^A loop of _ZN1s1fEi' out && ok || bad "_ZN1s1fEi: $(cat out err)"
# Nobody knows where its arrays lie; that they are aligned can be assumed.
"$SOFTPMU" asm --from loops:scale >out 2>err && grep -q ' clocks per iteration' out && ! grep -q misaligned out && ok || bad "scale on a Pentium: $(cat out err)"
"$SOFTPMU" asm --from loops:chain >out 2>err && grep -q '^Pentium (P54C)' out && ok || bad "on a Pentium: $(cat err)"

# Nobody knows where its data lie, but constants move them: an iteration does not wait for what the one before stored. A register that is
# loaded has one value, and a long move is a short one, so that data stay in L1D.
"$SOFTPMU" asm --cpu pentium3 --no-run 'l: add dword ptr [esi],1; add esi,4; dec ecx; jnz l' >out 2>err
grep -q '^ 3.00 clocks per iteration' out && tr '\n' ' ' <out | grep -q 'addresses are made up, for nothing is executed; in each iteration *esi moves by 4, and others stay' && ok || bad "moved by 4: $(cat out err)"
"$SOFTPMU" asm --cpu pentium3 --no-run 'l: add dword ptr [esi],1; mov esi,[edi]; lea edi,[edi-400]; dec ecx; jnz l' >out 2>err
tr '\n' ' ' <out | grep -q 'in each iteration *edi moves by -400 (timed: -48, to stay in L1D), and others stay' && ! grep -q 'line' out && ok || bad "moved by -400: $(cat out err)"
"$SOFTPMU" asm --cpu pentium3 --no-run 'l: add dword ptr [esi],1; dec ecx; jnz l' >out 2>err
grep -q '^ 6.00 clocks per iteration' out && grep -q 'iteration, so that loads may get what the one before stored' out && ok || bad "not moved: $(cat out err)"
[ "$("$SOFTPMU" asm --no-run --json 'l: add eax,[esi]; add esi,4; dec ecx; jnz l' 2>err | jq -c .address_moves)" = '[{"register":6,"by":4,"timed":4}]' ] && ok || bad "address_moves: $(cat err)"
"$SOFTPMU" asm --no-run 'cmovz eax,ebx' >out 2>err && grep -q 'a pentium never had' out && ok || bad "CMOV, not run, on a Pentium: $(cat out err)"

# A load takes three clocks, an addition one behind it, and they retire in order: the way of each, as it is drawn.
"$SOFTPMU" asm --cpu pentium3 --no-run --timeline 'mov eax,[esi]; add eax,1; add ebx,1' >out 2>err || bad "--timeline: $(cat err)"
sed -n 's/^\[0,\([0-9]\)\] *\([.DeER=-]*\).*/\1 \2/p' out | sed 's/\.//g' >drawn
awk '{ print $1, substr($2, 1, 1), gsub(/[eE]/, "", $2), substr($2, length($2)) }' drawn | paste -sd, >ways
[ "$(cat ways)" = "0 D 3 R,1 D 1 R,2 D 1 R" ] && ok || bad "--timeline: $(cat ways; cat out)"
# A way of 78 clocks is cut by clocks into parts that fit COLUMNS; put together they are the row that nothing cuts.
drawing=(asm --cpu pentium3 --timeline 'mov eax,[edx]; fsqrt')
"$SOFTPMU" "${drawing[@]}" >whole 2>err
way() { sed -n '/ The way of/,$ s/^\[0,1\] *\([.DeER=-]*\) .*/\1/p' "$1" | tr -d '\n.'; }
for width in 50 80; do
	COLUMNS=$width "$SOFTPMU" "${drawing[@]}" >out 2>err
	[ -z "$(sed '1,/steady state/d' out | awk -v w=$width 'length > w')" ] && [ "$(grep -c '^ Clocks [0-9]* to' out)" -gt 1 ] && [ "$(way out)" = "$(way whole)" ] && ok ||
		bad "the timeline at $width columns: $(cat out)"
done
[ "$(way whole | tr -dc e | wc -c)" = 68 ] && ! grep -q '^ Clocks' whole && ok || bad "fsqrt takes 69 clocks, the last of them E: $(cat whole)"
refused_timeline=$("$SOFTPMU" asm --timeline 'nop' 2>&1)
[ $? = 125 ] && [ "${refused_timeline#*no micro-ops}" != "$refused_timeline" ] && ok || bad "--timeline on a Pentium: $refused_timeline"

# refused WORDS OPTIONS
refused() {
	local words=$1
	shift
	"$SOFTPMU" asm --cpu pentium3 "$@" >out 2>err
	[ $? = 125 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q -- "$words" err && ok || bad "asm $*: $(cat out err)"
}
refused "2 innermost loops; choose one by where it begins: +5 (2 instructions), +e (3 instructions)" --from loops:two
refused "none of its innermost loops has that byte" --from loops:two+b
refused "calls a function, which is not part of it" --from loops:calls
refused "goes to an address that only a run knows" --from loops:jumps
refused "no function is called 'nothing'" --from loops:nothing
refused "it is stripped" --from bare:chain
refused "FILE:FUNCTION is wanted" --from chain
refused "FILE:FUNCTION is wanted" --from nofile:chain
refused "no program or object file" --from "$root/README.md:chain"
refused "choose one of them" --from loops:chain 'nop'
refused "do not go with it" --from loops:chain --bits 32
refused "the text of --no-run is not executed" --no-run --asm-init 'mov eax,1' nop
refused "16-bit code is not executed" --bits 16 --asm-init 'mov ax,1' nop

# ---- annotate --pipes ------------------------------------------------------------------------------

"$SOFTPMU" record -q -e cycles,instructions,L1-dcache-load-misses,branch-misses -o run.rec -- ./loops 2>err || bad "record: $(cat err)"
"$SOFTPMU" annotate --pipes chain run.rec >out 2>err || bad "pipes: $(cat err)"
begin=$((0x$(nm loops | sed -n 's/^\([0-9a-f]*\) . chain$/\1/p')))
at=$(printf '(at %x to %x)' $((begin + 0xa)) $((begin + 0x10)))
grep -q "^ Loop of chain, bytes a to 10 $at: 1,000 iterations\$" out && grep -q '^     3.000  instructions$' out && ok || bad "chain: $(head -n 8 out)"
grep -q ' 4.00 clocks per iteration' out && tr '\n' ' ' <out | grep -q 'the pipes need 4.00: the *pipes are *the bottleneck' && ok || bad "chain: $(tail -n 4 out)"
"$SOFTPMU" annotate --pipes walk run.rec >out 2>err || bad "pipes: $(cat err)"
grep -q ': 32,768 iterations$' out && grep -q '^     1.000  L1-dcache-load-misses$' out && tr -s ' \n' ' ' <out | grep -q 'bottleneck is elsewhere. .*1.000 misses of loads in L1D' && ok ||
	bad "walk: $(cat out)"
# Where the pipes take most of the time, the bottleneck is not said to be elsewhere.
"$SOFTPMU" record -q --cpu pentium -e cycles,instructions,data_read_miss -o busy.rec -- ./loops 2>err
"$SOFTPMU" annotate --pipes busy busy.rec >out 2>>err
tr -s ' \n' ' ' <out | grep -q ', and the pipes need 12.00 of them: most of it is what the table shows, the rest is elsewhere. For an iteration there were 0.1[0-9]* misses' && ok ||
	bad "busy: $(cat out err)"
# Two references an iteration that the aligned data of the listing never make, on either family; the P6 counts both halves of each.
for how in 4:pentium3:misalign_mem_ref 2:pentium:'misaligned_data_memory_or_i/o_references'; do
	IFS=: read -r n cpu event <<<"$how"
	"$SOFTPMU" record -q --cpu $cpu -e "cycles,instructions,$event" -o crooked.rec -- ./loops 2>err
	"$SOFTPMU" annotate --pipes crooked crooked.rec >out 2>>err
	tr -s ' \n' ' ' <out | grep -q 'bottleneck is elsewhere.* For an iteration there were '$n'.000 misaligned references' && ok || bad "crooked on a $cpu: $(tail -n 5 out) $(cat err)"
done
# All turns of the listing add to one place; those of the run to one after the other.
"$SOFTPMU" annotate --pipes spread run.rec >out 2>err && tr -s ' \n' ' ' <out | grep -q 'fewer than the .* above, where only constants move addresses' && ok ||
	bad "spread: $(tail -n 4 out) $(cat err)"
"$SOFTPMU" annotate --pipes calls run.rec >out 2>err && grep -q 'cannot be timed' out && grep -q ': 5 iterations' out && ok || bad "calls: $(cat out err)"
for case in "straight:no loop of it was executed" "nothing:no function of the record is called so" "loops.S:10:a function is wanted"; do
	"$SOFTPMU" annotate --pipes "${case%:*}" run.rec >out 2>err
	[ $? = 125 ] && [ "$(wc -l <err)" = 1 ] && grep -q "${case##*:}" err && ok || bad "annotate --pipes $case: $(cat out err)"
done
"$SOFTPMU" record -q -e br_inst_retired -o few.rec -- ./loops 2>err
"$SOFTPMU" annotate --pipes chain few.rec >out 2>err
[ $? = 125 ] && grep -q 'record with -e cycles,instructions' err && ok || bad "without instructions: $(cat err)"

# ---- damaged files ---------------------------------------------------------------------------------

# A byte of the headers, of the section headers or of the symbols is another one: a sentence or an answer, no crash.
size=$(stat -c %s loops.o) crashed=0
for i in $(seq 150); do
	at=$((i % 2 ? i * 7 % 64 : size - 1 - i * 13 % 1500))
	cp loops.o hurt.o
	printf "\\x$(printf %x $((i * 37 % 256)))" | dd of=hurt.o bs=1 seek=$at conv=notrunc status=none
	timeout 20 "$SOFTPMU" asm --cpu pentium3 --from hurt.o:chain >out 2>err
	case $? in 0 | 125) ;; *) crashed=$((crashed + 1)); echo "byte $at: $(tail -n 1 err)" ;; esac
done
[ $crashed = 0 ] && ok || bad "$crashed of 150 damaged files crash it"

finish
