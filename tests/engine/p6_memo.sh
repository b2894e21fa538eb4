#!/bin/bash
# p6_memo.sh -- on the P6 every event counts the same whether clocks of blocks are kept or worked out each time.
#
# On a Pentium II, whose caches have the shape that short cuts know, on a Pentium Pro, where they do not, and on a Pentium III.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 900 | sed 's/$/ some text that repeats/' >"$work/text"
i=0
while read -r word; do i=$((i + 1)); echo "insert into t values($i,'$word');"; done <<<"$(seq 100 7 400)" >"$work/rows"
{ echo "create table t(a,b);"; cat "$work/rows"; echo "create index i on t(b); select sum(a),b from t group by a%7;"; } >"$work/sql"

# run OUT OPTIONS... -- PROGRAM: "event,count" of every event
run() {
	local out=$1
	shift
	timeout 900 "$SOFTPMU" stat --all -x, -o "$out.all" "$@" >"$out.stdout" 2>"$out.err" </dev/null ||
		{ bad "$*: $(head -n 1 "$out.err")"; return 1; }
	grep -v '^#' "$out.all" | awk -F, '{ print $3 "," $1 }' >"$out"
	[ "$(awk -F, '$1 == "CPU_CLK_UNHALTED" { print ($2 > 1000) }' "$out")" = 1 ] ||
		{ bad "$*: no clocks"; return 1; }
}

# check NAME CPUS PROGRAM...
check() {
	local name=$1 cpu cpus=$2
	shift 2
	for cpu in $cpus; do
		run "$work/off" --cpu "$cpu" --memo off $options -- "$@" || return
		run "$work/on" --cpu "$cpu" $options -- "$@" || return
		cmp -s "$work/off" "$work/on" && ok ||
			bad "$name on $cpu: $(diff "$work/off" "$work/on" | grep '^[<>]' | head -n 4 | tr '\n' ' ')"
	done
}

all="pentiumpro pentium2 pentium3"
options=
check sort "$all" "$work/prog" sort 40
check strings "$all" "$work/prog" strings 20
check calls "$all" "$work/prog" calls 9
check x87 "$all" "$work/prog" x87 100
check gzip "$all" /bin/gzip -9 -c "$work/text"
check awk pentium3 /usr/bin/awk '{ s += length($1) * NR } END { print s }' "$work/text"
! command -v sqlite3 >/dev/null || check sqlite3 "pentium2 pentiumpro" sqlite3 -batch -init "$work/sql" :memory: .quit
! command -v xz >/dev/null || check xz pentium2 xz -T1 -3 -c "$work/text"

# Lines and page walks that miss L2, or where there is none; functions that L1I does not hold: buses in every phase.
{
	printf 'int test_main(int n, char **v)\n{\n\tstatic double a[160][1100]; double s = n; unsigned x = 1;\n'
	printf '\tfor (int i = 0; i < 60; i++)\n\t\tfor (int k = 0; k < 160; k++) { s += a[k][i * 3]; a[k][i] = s; }\n'
	printf '\tfor (int i = 0; i < 9000; i++) { x = x * 69069 + 5; a[x >> 8 & 127][x >> 17 & 1023] += s; }\n'
	printf '\treturn s == 0.5;\n}\n'
} >"$work/columns.c"
bare "$work/columns" "$work/columns.c" && check "columns" "celeron-covington celeron-tualatin pentiumpro pentium3" "$work/columns"
check "gzip without L2" celeron-covington /bin/gzip -c "$work/text"

# Parts of registers that are read whole, behind blocks that left them known to be 0, or did not.
cat >"$work/parts.c" <<'EOF'
int test_main(int n, char **v)
{
	unsigned x = n;

	for (int i = 0; i < 20000; i++) {
		x = x * 69069 + 5;
		__asm__ volatile("testb $1, %%cl; jz 1f; xorl %%eax, %%eax; jmp 2f; 1: movl %%ecx, %%eax;"
				 "2: testb $2, %%cl; jz 3f; movw %%cx, %%ax; 3: testb $4, %%cl; jz 4f; movb %%cl, %%al;"
				 "testb $8, %%cl; jz 4f; movb %%cl, %%ah; 4: addl %%eax, %%edx; testb $16, %%cl; jz 5f;"
				 "subl %%ebx, %%ebx; 5: movb %%dl, %%bl; jmp 6f; 6: movw %%bx, %%bx; addl %%ebx, %%eax"
				 : : "c"(x >> 12) : "eax", "ebx", "edx");
	}
	return 0;
}
EOF
bare "$work/parts" "$work/parts.c" && check "parts of registers" "$all" "$work/parts"

# The code area is emptied again and again, and so is what is kept.
options="--chaos 4"
check "sort, all forgotten now and then" pentium2 "$work/prog" sort 40
# Shapes and rules that differ.
options="--l1d 8K:2:32 --l2 64K:4:32"
check "gzip, small caches" pentium2 /bin/gzip -c "$work/text"
options="--wrong-path off"
check "gzip without wrong paths" pentium3 /bin/gzip -c "$work/text"

if has_32_bit; then
	options=
	printf 'int test_main(int n, char **v)\n{\n\tstatic volatile unsigned char a[4096]; unsigned s = n;\n' >"$work/p32.c"
	printf '\tfor (int i = 0; i < 20000; i++) { a[i * 7 & 4095] += (unsigned char)s; s = s * 69069 + a[i & 4095]; }\n' >>"$work/p32.c"
	printf '\treturn s == 1;\n}\n' >>"$work/p32.c"
	$CC -m32 $BARE -o "$work/p32" "$work/p32.c" "$src/start.S" && check "32-bit code" "pentium3" "$work/p32"
fi
finish
