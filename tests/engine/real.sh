#!/bin/bash
# real.sh -- programs from Debian, natively and under softpmu: same output, same messages, same status.
#
# Each in up to four surroundings: plain (tier 2), as user 65534 under Docker's system-call filter (tier
# 1), with 64 descriptors, and on one processor. make check takes a sample of the surroundings, make
# check-all all of them. REAL_ONLY=name runs one program.
. "$(dirname "$0")/lib.sh"
ulimit -c 0

tool dockerlike || exit 1
chmod 755 "$work"
mkdir -p "$work/in" "$work/run"
cp "$SOFTPMU" "$work/softpmu" || exit 1
in=$work/in
n_programs=0

# --- inputs, the same on every machine ------------------------------------------------------------
awk 'BEGIN { for (i = 0; i < 3000; i++) { x = (x * 1103515245 + 12345) % 2147483648;
	printf "%d\tline %d of the input, word %x, %s\n", x % 1000, i, x % 4096, substr("the quick brown fox jumps", 1 + x % 20) } }' >"$in/text"
sed 's/fox/cat/; 7d; 100a added' "$in/text" >"$in/text2"
gzip -c "$in/text" >"$in/text.gz"
bzip2 -c "$in/text" >"$in/text.bz2"
xz -T1 -c "$in/text" >"$in/text.xz"
zstd -q -c "$in/text" >"$in/text.zst"
(cd "$in" && tar cf text.tar --mtime=@0 --owner=0 --group=0 text text2)
cat >"$in/a.lua" <<'E'
local t, n = {}, 0
for i = 1, 20000 do t[i] = (i * 7919) % 10007 end
table.sort(t)
for w in ("a few words in a line"):gmatch("%a+") do n = n + #w end
local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end)
print(t[1], t[10000], n, co(), co(), string.format("%.10f", math.sin(1)), pcall(error, "x"))
E
# Traces, calls back from C, allocation sinking, string buffers: what LuaJIT compiles and throws away.
cat >"$in/jit.lua" <<'E'
local ffi = require "ffi"
ffi.cdef "void qsort(void *, size_t, size_t, int (*)(const int *, const int *));"
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local n, a, c = 60000, ffi.new("uint8_t[?]", 60001), 0
for i = 2, n do if a[i] == 0 then c = c + 1; for k = i * 2, n, i do a[k] = 1 end end end
local v = ffi.new("int[500]")
for i = 0, 499 do v[i] = i * 7919 % 503 end
ffi.C.qsort(v, 500, 4, function(p, q) return p[0] - q[0] end)
local x, parts = 0.0, {}
for k = 1, 20 do for i = 1, 2000 do x = x + math.sin(i) * k / (i + 1) end end
for i = 1, 3000 do parts[#parts + 1] = ("%d:%s"):format(i, tostring(i * 1.5)) end
for round = 1, 5 do -- code thrown away and made again
	jit.flush()
	for i = 1, 300 do x = x + (load or loadstring)("local s = ... for i = 1, 60 do s = s + i end return s")(i) % 7 end
end
print(fib(20), c, v[0], v[250], v[499], ("%.10f"):format(x), #table.concat(parts, ","))
E
cat >"$in/a.sql" <<'E'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
insert into t select i, 'row ' || (i * 7919 % 1000), i / 7.0 from n;
create index tb on t(b);
select count(*), sum(a), round(avg(c), 6) from t where b like 'row 1%';
select b, count(*) c from t group by b order by c desc, b limit 5;
select json_extract('{"a":[1,2,3]}', '$.a[1]'), printf('%08.3f', 3.14159), upper(hex('abc'));
E
cat >"$in/a.pl" <<'E'
use strict; use warnings; use Digest::MD5 qw(md5_hex); use List::Util qw(sum);
my %h; $h{$_ % 97} += $_ for 1 .. 20000;
print join(",", map { "$_=$h{$_}" } (sort { $a <=> $b } keys %h)[0 .. 5]), "\n";
my $s = join " ", map { sprintf "%03d", $_ * 37 % 1000 } 1 .. 500;
my $n = () = $s =~ /(?:^| )(\d)\1\d/g;
print "$n ", md5_hex($s), " ", sum(map { sqrt } 1 .. 100), "\n";
local $@; eval { die { code => 7 } }; print "code $@->{code}\n";
printf "%s\n", scalar reverse "softpmu"; exit 3;
E
cat >"$in/a.py" <<'E'
import json, re, zlib, hashlib, decimal, collections, itertools
d = collections.Counter(i * i % 101 for i in range(20000))
print(sorted(d.items())[:5], sum(d.values()))
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world again then"), zlib.crc32(b"abc" * 100))
print(hashlib.sha256(b"softpmu").hexdigest(), 3 ** 200 % 1000007, decimal.Decimal(2).sqrt())
print(json.dumps({"a": [1, 2.5, None, True], "b": "\u00e9"}, sort_keys=True))
print(len(list(itertools.permutations(range(6)))), "%.12f" % sum(1 / n for n in range(1, 2000)))
try:
    [][1]
except IndexError as e:
    print("caught", e)
E
cat >"$in/a.c" <<'E'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int key; };
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	int v[500]; struct node *head = NULL;
	for (int i = 0; i < 500; i++) v[i] = i * 7919 % 1009;
	qsort(v, 500, sizeof(v[0]), cmp);
	for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof(*n)); n->next = head; n->key = v[i * 100]; head = n; }
	for (struct node *n = head; n; n = n->next) printf("%d %.3f\n", n->key, n->key / 3.0);
	return 4;
}
E
gcc -E -P "$in/a.c" >"$in/a.i"
gcc -S -O1 -o "$in/a.s" "$in/a.i"
gcc -c -o "$in/a.o" "$in/a.i"
echo '{"a":[{"n":1,"s":"x"},{"n":2,"s":"y"}],"b":{"c":null,"d":1.5}}' >"$in/a.json"
cat >"$in/a.sh" <<'E'
f() { local i=$1; ((i > 0)) && f $((i - 1)); r+=$i; }
r=; f 20; a=(5 3 9 1); declare -A m=([x]=1 [y]=2)
for ((i = 0; i < 2000; i++)); do ((s += i * i % 7)); done
case $r in *1011*) printf '%s %05d %x\n' "$r" "$s" 255 ;; esac
[[ "abc123" =~ ([a-z]+)([0-9]+) ]] && echo "${BASH_REMATCH[2]} ${#a[@]} ${m[y]} ${r//1/one}"
trap 'echo leaving $?' EXIT; exit 5
E
cat >"$in/a.bc" <<'E'
scale=60; 4*a(1); e(1); define f(n) { if (n < 2) return n; return f(n-1) + f(n-2); }
f(15); 2^300; sqrt(2)
E
cat >"$in/a.plt" <<'E'
set terminal svg size 300,200; set output 'plot.svg'
f(x) = sin(x) * exp(-x / 5); plot [0:10] f(x) title 'damped', cos(x)
set terminal dumb 60 15; set output; plot [0:5] x**2
E
cat >"$in/a.m4" <<'E'
define(`f', `ifelse($1, 0, 1, `eval($1 * f(decr($1)))')')f(10) len(`abcdef') translit(`hello', `a-z', `A-Z')
E

# --- how a program is run -------------------------------------------------------------------------
# once OUT STDIN COMMAND...: run in a fresh directory, keep output, messages, status and files made
once() {
	local out=$1 stdin=$2
	shift 2
	rm -rf "$work/run" && mkdir -m 777 "$work/run"
	(cd "$work/run" && timeout 900 "$@" <"$stdin" >"$work/$out.out" 2>"$work/$out.err")
	echo "status $?" >"$work/$out.status"
	(cd "$work/run" && find . -type f ! -name '.counts' -print0 | sort -z | xargs -0 -r md5sum) >"$work/$out.files"
}

same() {
	local kind
	for kind in status out err files; do
		cmp -s "$work/native.$kind" "$work/soft.$kind" || {
			bad "$1: $kind differs ($(cat "$work/native.status"), softpmu $(cat "$work/soft.status")): $(diff \
				"$work/native.$kind" "$work/soft.$kind" 2>&1 | grep -a '^[<>]' | head -n 2 | cut -c1-120 | tr '\n' ' ')"
			return
		}
	done
	ok
}

# prog NAME STDIN COMMAND...
prog() {
	local name=$1 stdin=$2 how wrap events
	shift 2
	[ -z "${REAL_ONLY:-}" ] || [ "$REAL_ONLY" = "$name" ] || return 0
	command -v "$1" >/dev/null || { skip "$name: no $1 on this machine"; return; }
	n_programs=$((n_programs + 1))
	for how in plain docker few_files one_core; do
		# The sample of make check: every program plain, and one of the other surroundings in turn.
		case $CHECK_LEVEL:$how in
		all:* | *:plain) ;;
		*:docker) [ $((n_programs % 3)) = 1 ] || continue ;;
		*:few_files) [ $((n_programs % 6)) = 2 ] || continue ;;
		*:one_core) [ $((n_programs % 6)) = 5 ] || continue ;;
		esac
		events=inst_retired,dcu_lines_in
		case $how in
		plain) wrap= ;;
		docker) wrap="$work/dockerlike -u 65534 -s" events=instructions,branches ;;
		few_files) wrap="$work/dockerlike -n 64" ;;
		one_core) wrap="taskset -c 0" ;;
		esac
		once native "$stdin" $wrap "$@"
		once soft "$stdin" $wrap "$work/softpmu" stat -e $events -o .counts -- "$@"
		# As perf does, softpmu says which signal ended the program.
		sed -i -E '/^[a-z0-9.]+: (Terminated|Segmentation fault|Killed)$/d' "$work/soft.err"
		same "$name ($how)"
	done
}

cc1=$(gcc -print-prog-name=cc1)
prog gzip /dev/null gzip -9 -c "$in/text"
prog gunzip /dev/null gzip -dc "$in/text.gz"
prog bzip2 /dev/null bzip2 -c "$in/text"
prog bunzip2 /dev/null bzip2 -dc "$in/text.bz2"
prog xz /dev/null xz -T1 -3 -c "$in/text"
prog unxz /dev/null xz -T1 -dc "$in/text.xz"
prog zstd /dev/null zstd -q --single-thread --no-asyncio -9 -c "$in/text"
prog unzstd /dev/null zstd -q --single-thread --no-asyncio -dc "$in/text.zst"
prog lua /dev/null lua5.4 "$in/a.lua"
prog luajit /dev/null luajit "$in/jit.lua"
prog luajit-hot /dev/null luajit -Ohotloop=2 -Ohotexit=1 "$in/jit.lua"
prog pypy3 /dev/null pypy3 -I "$in/a.py"
prog sqlite3 "$in/a.sql" sqlite3 -batch :memory:
prog sqlite3-file "$in/a.sql" sqlite3 -batch base.db
prog perl /dev/null perl "$in/a.pl"
prog python3 /dev/null python3 -I "$in/a.py"
prog bash /dev/null bash "$in/a.sh"
prog dash /dev/null dash -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done; echo $i; exit 7'
prog mawk "$in/text" mawk -F'\t' '{ n[$1 % 10] += length($2) } END { for (i = 0; i < 10; i++) print i, n[i]; printf "%.9f\n", exp(1) }'
prog gawk "$in/text" gawk -F'\t' '{ n[$1 % 10]++; gsub(/o+/, "0") } END { PROCINFO["sorted_in"] = "@ind_num_asc"; for (i in n) print i, n[i]; print toupper(substr($0, 1, 30)) }'
prog sed "$in/text" sed -n 's/\([0-9]*\)\t\(.*\)word \([0-9a-f]*\)/\3 \1/p;$='
prog grep "$in/text" grep -nE '(brown|jumps) ?f?o?x?.*$'
prog grep-F "$in/text" grep -c -F -i QUICK
prog sort "$in/text" sort -k1,1n -k2
prog sort-u "$in/text" sort -u -r
prog openssl /dev/null openssl dgst -sha256 "$in/text"
prog openssl-enc /dev/null openssl enc -aes-128-cbc -K 00112233445566778899aabbccddeeff -iv 00 -in "$in/text" -a
prog bc "$in/a.bc" bc -lq
prog dc /dev/null dc -e '40 k 2 v p 2 100 ^ p [la 1 + d sa p 5 >x] sx 0 sa lx x'
prog gnuplot /dev/null gnuplot "$in/a.plt"
prog tcc /dev/null tcc -o a.out "$in/a.c"
prog tcc-run /dev/null tcc -run "$in/a.c"
prog cc1 /dev/null "$cc1" -quiet -O2 "$in/a.i" -o a.s
prog as /dev/null as -o a.o "$in/a.s"
prog ld /dev/null ld -r -o b.o "$in/a.o"
prog busybox /dev/null busybox md5sum "$in/text"
prog busybox-sh /dev/null busybox ash -c 'i=0; while [ $i -lt 300 ]; do i=$((i+1)); done; echo $i; test -d /etc && echo dir'
prog busybox-awk "$in/text" busybox awk '{ s += $1 } END { print s }'
prog jq "$in/a.json" jq '.a | map(.n * 2) | add, (map(.s) | join("-"))'
prog file /dev/null file -b /bin/sh "$in/text.gz" "$in/a.c"
prog find /dev/null find /usr/share/doc/bash /usr/include/linux -name '*s*' -newermt 2000-01-01
prog tar /dev/null tar cf - --mtime=@0 -C "$in" text text2 a.c
prog tar-list /dev/null tar tvf "$in/text.tar"
prog diff /dev/null diff -u --label a --label b "$in/text" "$in/text2"
prog cmp /dev/null cmp "$in/text" "$in/text2"
prog md5sum /dev/null md5sum "$in/text" "$in/text2"
prog sha512sum "$in/text" sha512sum
prog cksum "$in/text" cksum
prog od "$in/text.gz" od -A x -t x1z
prog hexdump "$in/text.gz" hexdump -C
prog wc "$in/text" wc
prog tr "$in/text" tr 'a-z\t' 'A-Z '
prog cut "$in/text" cut -f1
prog join /dev/null join -t "$(printf '\t')" "$in/text" "$in/text"
prog base64 "$in/text.gz" base64
prog factor /dev/null factor 1000000016000000063 123456789012345678901234567 97
prog seq /dev/null seq -f %.3f 1 0.37 400
prog tac "$in/text" tac
prog date /dev/null date -u -d '@1000000000 + 3 days' +%FT%T
prog ls /dev/null ls -la "$in" /usr/include/asm-generic
prog stat /dev/null stat -c '%n %s %a %F' "$in/text" /dev/null
prog dd "$in/text" dd bs=1k count=20 status=none
prog expr /dev/null expr 12345678901234567890 '*' 98765432109876543210
prog env /dev/null env -i A=1 B=2
prog cpio /dev/null cpio --quiet -t -I /dev/null
prog m4 /dev/null m4 "$in/a.m4"
prog readelf /dev/null readelf -aW /bin/sh
prog objdump /dev/null objdump -d "$in/a.o"
prog strings /dev/null strings -n 8 /bin/bash
prog git /dev/null git hash-object "$in/text"
prog id /dev/null id
prog true /dev/null true
prog false /dev/null false
prog ls-missing /dev/null ls "$in/there-is-no-such-file"
prog kill-self /dev/null bash -c 'kill -TERM $$'
prog segv-self /dev/null bash -c 'kill -SEGV $$'
prog many-descriptors /dev/null bash -c 'exec 3</dev/null 9>/dev/null; echo x >&9; exec 3<&-; echo done'
printf "#!/usr/bin/awk -f\nBEGIN { print ARGC, ARGV[1] }\n" >"$work/script" && chmod 755 "$work/script"
prog script /dev/null "$work/script" argument
finish
