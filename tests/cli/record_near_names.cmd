# A slip in the name of a function, a program in the place of a function, files of perf's, headings of the columns.
cat >prog.c <<'C'
static int walk(int n) { int s = 0; while (n--) s += n; return s; }
int main(void) { return walk(1000) == 0; }
C
cc -g -O0 -o prog prog.c
softpmu record -q -e inst_retired -- ./prog 2>err || cat err
for what in wlak walk_ zzzzqqqq ./prog porg.c:2 prog.c:90; do
	softpmu annotate $what
	echo "= $?"
done
printf 'PERFILE2 and so on' >perf.data
softpmu report perf.data
echo "= $?"
for by in function line file object process address; do
	softpmu report --by $by | sed -n 3p
done
