#!/bin/bash
# inputs.sh DIR -- makes the inputs of the bench, the same on every machine. Sourced by nobody; run once.
set -eu
dir=$1 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cd "$dir"

# Text with the statistics of a log: words that repeat, numbers that do not.
awk 'BEGIN { n = split("open close read write error warning start stop user host file cache line page fault packet", w, " ")
	for (i = 0; i < 140000; i++) { x = (x * 1103515245 + 12345) % 2147483648; y = (y * 69069 + 1) % 4294967296
	printf "%08d %s %s %x from %d.%d after %d us\n", i * 13, w[1 + x % n], w[1 + int(x / 1000) % n], y, x % 256, y % 256, x % 90000 } }' >log
head -c 2500000 log >text
head -c 300000 log >small
sed 's/^0*\([0-9]*\) \(.*\)$/\2/' log | head -n 130000 >lines

# C source for the compiler: many functions of different shape.
c_source() {
	awk -v lines="$1" 'BEGIN {
		print "struct node { struct node *next; long key; double weight; };"
		print "extern int printf(const char *, ...);"
		for (i = 0; n < lines; i++) {
			# Two thirds are declarations, as in a file that has been through the preprocessor.
			for (k = 0; k < 13; k++) {
				printf "struct s%d_%d { struct s%d_%d *next; int kind; unsigned long flags; char name[%d]; };\n", i, k, i, k ? k - 1 : 0, 8 + k
				printf "typedef struct s%d_%d *s%d_%d_ref;\n", i, k, i, k
				printf "extern int call%d_%d(struct s%d_%d *object, const char *name, unsigned long flags);\n", i, k, i, k
				n += 3
			}
			x = (x * 1103515245 + 12345) % 2147483648
			printf "static long table%d[16];\nlong f%d(long a, long b, struct node *p)\n{\n", i, i
			printf "\tlong s = %d;\n\tfor (long i = 0; i < (a & %d); i++) {\n", x % 1000, 15 + x % 64
			printf "\t\tswitch ((b + i) %% %d) {\n", 3 + x % 5
			for (k = 0; k < 3 + x % 5; k++)
				printf "\t\tcase %d: s %s table%d[(i * %d) & 15]; break;\n", k, k % 2 ? "+=" : "^=", i, 1 + (x + k) % 7
			printf "\t\t}\n\t}\n\tfor (; p; p = p->next)\n\t\tif (p->key %s s)\n\t\t\tp->weight *= %d.5 + (double)s;\n", x % 2 ? "<" : ">", x % 9
			printf "\ttable%d[s & 15] = a * b;\n", i
			if (i > 2)
				printf "\tif (a > %d)\n\t\ts += f%d(a - 1, s, p);\n", x % 100, i - 1 - x % 2
			printf "\treturn s %% %d ? s : b;\n}\n\n", 2 + x % 30
			n += 19 + (3 + x % 5)
		}
	}'
}
c_source 1000 >small.i
c_source 10400 >large.i
${CC:-gcc} -O2 -o matrix "$here/programs/matrix.c"
${CC:-gcc} -O2 -o reads "$here/programs/reads.c"
${CC:-gcc} -O2 -fopenmp -o matrix-omp "$here/programs/matrix.c"
printf '#include <stdio.h>\n\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n' >hello.c
! command -v javac >/dev/null || javac -d . "$here/programs/Work.java"
