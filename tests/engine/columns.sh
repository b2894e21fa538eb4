#!/bin/bash
# columns.sh -- one run for several processors: a column is what a run of its own counts under the same CPUID.
. "$(dirname "$0")/lib.sh"

events=instructions,branches,data_read,data_write,data_read_miss,data_tlb_miss,data_mem_refs,dcu_lines_in,uops_retired,l2_ifetch

# compare TITLE COMMAND...
compare() {
	local title=$1 cpu column=0 list
	shift
	"$SOFTPMU" stat -o "$work/all" --env clean --cpu pentium,pentium-mmx,pentium3 -e $events -- "$@" >/dev/null 2>&1 </dev/null
	for cpu in pentium pentium-mmx pentium3; do
		column=$((column + 1))
		awk -v c=$column 'NF == 4 && $c ~ /^[0-9]+$/ { print $4, $c }' "$work/all" >"$work/column"
		list=$(cut -d' ' -f1 "$work/column" | paste -sd,)
		"$SOFTPMU" stat -x, -o "$work/csv" --env clean --cpu $cpu --cpuid pentium -e "$list" -- "$@" >/dev/null 2>&1 </dev/null
		awk -F, '$3 != "" { print $3, $1 }' "$work/csv" >"$work/alone"
		if [ "$(wc -l <"$work/column")" -ge 6 ] && cmp -s "$work/column" "$work/alone"; then
			ok
		else
			bad "$title: $cpu: $(diff "$work/column" "$work/alone" | head -n 4 | tr '\n' ' ')"
		fi
	done
}

seq 1 3000 | awk '{ print $1 * 7919 % 10007, "text" }' >"$work/text"
compare "sort" sort -n "$work/text"
steady_numbers
compare "processes" sh -c 'sort -n "$0"; ls /; cat "$0"' "$work/text"

"$SOFTPMU" stat --cpu pentium,pentium3 -e instructions -- true >"$work/out" 2>&1
grep -q 'pentium never had' "$work/out" && ok || bad "says nothing of instructions that came later"
# Of seven instructions one of each kind that a Pentium never had.
cat >"$work/kinds.S" <<-'end'
	.globl _start
_start:	mov $100000, %ecx
1:	paddw %mm1, %mm0
	addps %xmm1, %xmm0
	addpd %xmm1, %xmm0
	cmovz %edx, %eax
	lea 1(%rdx), %rsi
	sub $1, %ecx
	jnz 1b
	emms
	mov $231, %eax
	xor %edi, %edi
	syscall
end
${CC:-gcc} -nostdlib -static -o "$work/kinds" "$work/kinds.S" || exit 1
"$SOFTPMU" stat --cpu pentium,pentium2 -e instructions -- "$work/kinds" >"$work/out" 2>&1
kinds='integer and x87 forms of later ones 14.3 %, MMX 14.3 %, SSE 14.3 %, 64-bit forms 14.3 %, SSE2 and later 14.3 %'
grep -qF "pentium never had 71.4 % of the instructions ($kinds)" "$work/out" && ok || bad "pentium: $(grep never "$work/out")"
kinds='SSE 14.3 %, 64-bit forms 14.3 %, SSE2 and later 14.3 %'
grep -qF "pentium2 never had 42.9 % of the instructions ($kinds)" "$work/out" && ok || bad "pentium2: $(grep never "$work/out")"
# Of twenty instructions 14 are the forms on MMX registers that came with SSE, two SSE's that have no register, two MMX's.
cat >"$work/mmx_of_sse.S" <<-'end'
	.globl _start
_start:	mov $100000, %esi
	sub $64, %rsp
	mov %rsp, %rdi
1:	pavgb %mm1, %mm0
	pavgw %mm1, %mm0
	pmaxsw %mm1, %mm0
	pmaxub %mm1, %mm0
	pminsw %mm1, %mm0
	pminub %mm1, %mm0
	psadbw %mm1, %mm0
	pmulhuw %mm1, %mm0
	pmovmskb %mm0, %eax
	pextrw $1, %mm0, %eax
	pinsrw $2, %eax, %mm0
	pshufw $3, %mm1, %mm0
	maskmovq %mm1, %mm0
	movntq %mm0, (%rdi)
	prefetcht0 (%rdi)
	sfence
	paddw %mm1, %mm0
	emms
	sub $1, %esi
	jnz 1b
	mov $231, %eax
	xor %edi, %edi
	syscall
end
${CC:-gcc} -nostdlib -static -o "$work/mmx_of_sse" "$work/mmx_of_sse.S" || exit 1
new='integer and x87 forms of later ones <0.1 %'
long='64-bit forms <0.1 %'
for row in "pentium|90.0 %|($new, MMX 10.0 %, SSE 80.0 %, $long)" "pentium-mmx|80.0 %|($new, SSE 80.0 %, $long)" \
	"pentium2|80.0 %|(SSE 80.0 %, $long)" "pentiumpro|90.0 %|(MMX 10.0 %, SSE 80.0 %, $long)" "pentium3|<0.1 %|($long)"; do
	IFS='|' read -r cpu share kinds <<<"$row"
	"$SOFTPMU" stat -v --cpu $cpu -e instructions -- "$work/mmx_of_sse" >"$work/out" 2>&1
	grep -qF "$share of the instructions are none that a $cpu had $kinds: they ran" <(tr '\n' ' ' <"$work/out" | tr -s ' ') && ok ||
		bad "MMX forms of SSE: $cpu: $(grep -A1 'none that' "$work/out")"
done
# The other layouts show the same numbers, repetitions too.
list=instructions,data_read,cycles,l2_ld
"$SOFTPMU" stat -x, -o "$work/lines" --env clean --cpu pentium,pentium3 -r 2 -e "{$list}" -- true >/dev/null 2>&1
for cpu in pentium pentium3; do
	for e in ${list//,/ }; do
		want=$("$SOFTPMU" stat -x, --env clean --cpu $cpu --cpuid pentium -e $e -- true 2>&1 >/dev/null | cut -d, -f1 | head -n 1)
		got=$(grep "^$cpu," "$work/lines" | cut -d, -f2,4,5 | grep ",$e," | head -n 1)
		case $want in
		softpmu*) [ -z "$got" ] && ok || bad "-x: $cpu has no $e and shows $got" ;;
		*) [ "$got" = "$want,$e,0.00%" ] && ok || bad "-x: $cpu: $got instead of $want,$e,0.00%" ;;
		esac
	done
done
"$SOFTPMU" stat --json -o "$work/json" --cpu pentium,pentium-mmx --all -- true >/dev/null 2>&1
for cpu in pentium pentium-mmx; do
	want=$("$SOFTPMU" stat --json -o /dev/stdout --cpu $cpu --cpuid pentium --all -- true | grep -c '"status": "counted"')
	got=$(sed -n "/\"cpu\": \"$cpu\"/,/\"metrics\"/p" "$work/json" | grep -c '"status": "counted"')
	[ "$want" -ge 39 ] && [ "$got" = "$want" ] && ok || bad "--json --all: $cpu: $got events counted, not $want"
done

# --counters 2: the program runs once per pair, and each event is what one run for all counts.
runs() {
	local cpus=$1 want=$2 list=$3
	: >"$work/ran"
	"$SOFTPMU" stat -x, -o "$work/two" --env clean --cpu "$cpus" --counters 2 -e "$list" -- \
		sh -c 'echo >>"$0"' "$work/ran" >/dev/null 2>&1
	"$SOFTPMU" stat -x, -o "$work/all" --env clean --cpu "$cpus" -e "$list" -- sh -c 'echo >>"$0"' "$work/ran" >/dev/null 2>&1
	n=$(wc -l <"$work/ran")
	[ "$n" = $((want + 1)) ] && ok || bad "--counters 2, $cpus: $((n - 1)) runs, not $want"
	fields=1,3
	case $cpus in *,*) fields=1,2,4 ;; esac
	cmp -s <(cut -d, -f$fields "$work/two") <(cut -d, -f$fields "$work/all") && ok || bad "--counters 2, $cpus: other counts"
}
steady_numbers
runs pentium 2 data_read,data_write,branches,instructions,cycles
runs pentium-mmx 3 returns,0x39:c1,emms_instructions_executed,0x2d:c1,data_read
runs pentium,pentium-mmx 3 branches,returns,0x39:c1,data_read,emms_instructions_executed
runs pentium3 2 instructions,cycles,l2_ld
# The program sees the first processor.
cat >"$work/cpuid.c" <<'E'
int test_main(void) { unsigned a = 1, b, c, d; __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); return a >> 8 & 15; }
E
bare "$work/cpuid" "$work/cpuid.c" 2>/dev/null
for cpus in pentium,pentium3:5 pentium3,pentium:6; do
	"$SOFTPMU" stat --cpu ${cpus%:*} -e instructions -- "$work/cpuid" >/dev/null 2>&1
	[ $? = ${cpus#*:} ] && ok || bad "--cpu ${cpus%:*}: the program does not see the first"
done
finish
