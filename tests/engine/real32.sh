#!/bin/bash
# real32.sh -- Debian's own i386 programs, natively and under softpmu: same output, same messages, same status.
#
# The packages are unpacked in build/i386 (tools/fetch-i386.sh) and run by their own ld.so, so that
# nothing is installed beside the system's. make check runs what has been unpacked before, or fetches
# busybox-static alone; make check-all fetches all. REAL32_DIR: where to unpack. Two things are asked besides:
# the share of instructions that the modelled processor never had must be 0 for busybox, and counts must repeat.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

dir=${REAL32_DIR:-$PWD/build/i386}
all="busybox-static gzip bzip2 xz-utils lua5.4 sqlite3 python3.11-minimal libpython3.11-minimal perl-base bash coreutils
	sed grep mawk bc dc tar openssl libc6 libgcc-s1 libreadline8 libtinfo6 libsqlite3-0 zlib1g libexpat1 libselinux1
	libpcre2-8-0 libcrypt1 libbz2-1.0 liblzma5 libacl1 libattr1 libgmp10 libssl3"
if [ "$CHECK_LEVEL" = all ] || [ ! -d "$dir/root" ]; then
	packages=busybox-static
	[ "$CHECK_LEVEL" = all ] && packages=$all
	if ! "$PWD/tools/fetch-i386.sh" "$dir" $packages 2>"$work/fetch"; then
		skip "i386 packages: $(tail -n 1 "$work/fetch")"
	fi
fi
root=$dir/root
if ! "$root/bin/busybox" true 2>/dev/null; then
	skip "i386 programs: none here that this kernel runs"
	finish
fi
libraries=$root/lib/i386-linux-gnu:$root/usr/lib/i386-linux-gnu
seq 1 4000 | awk '{ printf "%d\tline %d, %x, the quick brown fox\n", $1 * 7919 % 1000, $1, $1 * 31 }' >"$work/text"
cd "$work" || exit 1

# same NAME PROGRAM ARGS...
same() {
	local name=$1 want got event
	shift
	sh -c '"$@"; exit $?' sh "$@" >native 2>native.err <text
	want=$?
	for event in instructions inst_retired,uops_retired,dcu_lines_in; do
		timeout 900 "$SOFTPMU" stat -e $event -o stat.$event -- "$@" >out 2>err <text
		got=$?
		[ $want = $got ] && cmp -s native out && cmp -s native.err err && ok ||
			bad "$name ($event): status $want and $got; $(diff native out | sed -n 2,3p | tr '\n' ' ')$(head -n 1 err)"
	done
}

# A dynamic program of the unpacked packages, when it is there: dynamic NAME PATH ARGS...
dynamic() {
	local name=$1 path=$root/$2
	shift 2
	[ -x "$path" ] && [ -x "$root/lib/ld-linux.so.2" ] || return
	same "$name" "$root/lib/ld-linux.so.2" --library-path "$libraries" "$path" "$@"
}

b=$root/bin/busybox
same busybox-sh "$b" sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); x=$x.; done; echo $i ${#x}'
same busybox-md5sum "$b" md5sum text
same busybox-gzip "$b" gzip -c text
same busybox-sort "$b" sort -n text
same busybox-sed "$b" sed -n 's/fox/cat/p' text
same busybox-dc "$b" dc -e '2 200 ^ p'
if grep -q "of the instructions are" stat.*; then
	bad "busybox executes instructions that a Pentium III never had"
elif "$SOFTPMU" stat -e instructions --cpu pentiumpro -- "$b" gzip -c text 2>err >/dev/null && grep -q "of the instructions" err; then
	bad "busybox executes instructions that a Pentium Pro never had: $(grep "of the instructions" err)"
else
	ok
fi
for i in 1 2; do
	"$SOFTPMU" stat -x, -e inst_retired,dcu_lines_in,l2_lines_in,br_miss_pred_retired -o counts.$i -- "$b" gzip -c text >/dev/null 2>&1
	cut -d, -f1,3 counts.$i >numbers.$i
done
cmp -s numbers.1 numbers.2 && ok || bad "counts of busybox gzip differ: $(diff numbers.1 numbers.2 | tr '\n' ' ')"

dynamic gzip bin/gzip -9 -c text
dynamic bzip2 bin/bzip2 -c text
dynamic xz usr/bin/xz -T1 -1 -c text
dynamic lua usr/bin/lua5.4 -e 'local t = {} for i = 1, 9000 do t[i] = i * 7919 % 10007 end table.sort(t)
	print(t[1], t[9000], 7 // 2, 2 ^ 53, string.format("%.14g", math.sin(3)))'
dynamic sqlite3 usr/bin/sqlite3 :memory: 'create table t(a, b);
	with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, x * 0.5 from c;
	select sum(a), avg(b), count(*) from t; select * from t order by b desc limit 3;'
dynamic python3 usr/bin/python3.11 -S -E -c 'import sys; print(sys.maxsize, sum(i * i for i in range(3000)), 2 ** 200, 1 / 3)'
dynamic perl usr/bin/perl -e 'my %h; $h{$_ % 97} += $_ for 1 .. 9000; print join(",", map { "$_=$h{$_}" } sort { $a <=> $b } keys %h), "\n";
	printf "%.15g\n", atan2(1, 1) * 4'
dynamic bash bin/bash --norc -c 'for i in {1..300}; do x=$((x + i)); done; echo $x; read a b; echo "$b"'
dynamic sort usr/bin/sort -r text
dynamic sha256sum usr/bin/sha256sum text
dynamic factor usr/bin/factor 1234567891011 600851475143
dynamic ls bin/ls -l text
dynamic sed bin/sed -n 's/1/x/gp' text
dynamic grep bin/grep -c 77 text
dynamic mawk usr/bin/mawk 'BEGIN { for (i = 0; i < 20000; i++) s += i / 3; print s }'
dynamic bc usr/bin/bc -q /dev/null
dynamic dc usr/bin/dc -e '2 500 ^ p'
dynamic tar bin/tar cf - --sort=name --mtime=@0 --owner=0 --group=0 text
dynamic openssl usr/bin/openssl dgst -sha256 text
finish
