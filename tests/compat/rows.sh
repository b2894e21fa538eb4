# rows.sh -- the rows of compat.sh. Sourced by it: row NAME NEEDS SECONDS COMMAND...

# What must be built first; where a compiler is missing its rows say so.
b=$work/bin
gcc -O2 -o "$b/small" "$in/small.c" 2>/dev/null
gcc -O2 -static -o "$b/small-static" "$in/small.c" 2>/dev/null
gcc -O2 -m32 -o "$b/small-32" "$in/small.c" 2>/dev/null
gcc -O2 -m32 -static -o "$b/small-32-static" "$in/small.c" 2>/dev/null
gcc -O2 -pthread -o "$b/pthreads" "$in/pthreads.c" 2>/dev/null
gcc -O2 -pthread -m32 -o "$b/pthreads-32" "$in/pthreads.c" 2>/dev/null
gcc -O2 -fopenmp -o "$b/openmp" "$in/openmp.c" 2>/dev/null
gcc -g -pthread -fsanitize=address -o "$b/leaks" "$in/leaks.c" 2>/dev/null
command -v musl-gcc >/dev/null && musl-gcc -O2 -static -o "$b/small-musl" "$in/small.c"
command -v javac >/dev/null && javac -d "$b" "$in/Work.java"
if command -v go >/dev/null; then
	GOFLAGS=-mod=mod GOCACHE=$work/gocache CGO_ENABLED=0 go build -o "$b/routines" "$in/routines.go"
	for v in v2 v3; do
		GOFLAGS=-mod=mod GOCACHE=$work/gocache CGO_ENABLED=0 GOAMD64=$v go build -o "$b/routines-$v" "$in/routines.go"
	done
	rm -rf "$work/gocache"
fi
export WINEDEBUG=-all WINE=/usr/lib/wine/wine64
case $wanted in "  " | *" wine "*) # its files once, natively
	[ -x $WINE ] && WINEPREFIX=$work/wine $WINE cmd /c exit 0 >/dev/null 2>&1 </dev/null && WINEPREFIX=$work/wine wineserver -w &&
		touch "$b/wine" ;;
esac
for m in numpy pandas torch; do
	[ -d /usr/lib/python3/dist-packages/$m ] && touch "$b/$m"
done
gcc -O1 -no-pie -mcmodel=large -DGB=2 -o "$b/placed" "$top/tests/engine/placed.c" 2>/dev/null
awk 'BEGIN { for (i = 0; i < 20000; i++) print i * 7919 % 10007, "line", i }' >"$work/text"
gzip -k "$work/text"
mkdir "$work/project"
for i in 1 2 3 4; do echo "int f$i(int x) { return x * $i; }" >"$work/project/f$i.c"; done
cat >"$work/project/main.c" <<'E'
#include <stdio.h>
int f1(int), f2(int), f3(int), f4(int);
int main(void) { printf("%d\n", f1(1) + f2(2) + f3(3) + f4(4)); return 0; }
E
printf 'prog: main.o f1.o f2.o f3.o f4.o\n\t$(CC) -o $@ $^\n' >"$work/project/Makefile"

group "Shells and pipelines"
row bash bash 60 bash "$in/pipelines.sh"
row dash dash 60 dash "$in/dash.sh"
row busybox-ash busybox 60 busybox ash "$in/dash.sh"
row xargs xargs 60 sh -c "cut -d' ' -f1 $work/text | head -n 40 | xargs -n 8 echo | md5sum"
row find-exec find 60 sh -c 'mkdir a b; echo 1 >a/x; echo 2 >b/y; find . -type f -exec cat {} \; | sort'
row parallel-xargs xargs 60 sh -c 'seq 1 12 | xargs -P 3 -n 1 sh -c "exit \$((\$0 % 2))"; echo $?'

group "Core utilities"
row coreutils - 60 sh -c "sort -n $work/text | uniq -c | head -n 3; wc $work/text; cut -c1-3 $work/text | tr 0-9 a-j | md5sum; seq 5 | paste -sd+ | bc; factor 1234567890; stat -c %s $work/text; date -u -d @0; expr 7 \\* 6; printf '%05d\\n' 42; split -l 7000 $work/text part; ls part*; join part* >/dev/null; echo \$?; od -c $work/text | tail -n 2; timeout 1 sleep 5; echo \$?; env -i true; nice true; mktemp -u x | wc -c"
row sort-parallel sort 60 sort --parallel=4 -S 1M "$work/text"
row gzip-pipe gzip 60 sh -c "gzip -dc $work/text.gz | gzip -9 | gzip -dc | md5sum"
row xz-threads xz 60 sh -c "xz -T2 --block-size=100000 -c $work/text | xz -dc | md5sum"
row zstd-threads zstd 60 sh -c "zstd -q -T3 -c $work/text | zstd -dc | md5sum"
row tar tar 60 sh -c "tar czf t.tgz --mtime=@0 -C $work text && tar tzvf t.tgz | cut -c1-10"

group "Compilers and tools"
row gcc gcc 120 sh -c "gcc -O2 -o small $in/small.c && ./small 5; echo \$?"
row make make,gcc 200 sh -c "cp $work/project/* . && make -s -j2 && ./prog"
row git git 100 sh -c 'git init -q . && git config user.email a@b && git config user.name n && echo 1 >f && git add f && git commit -qm one && echo 2 >>f && git commit -qam two && git log --oneline && git diff HEAD~1 && git branch x && git checkout -q x && git status -sb && git gc -q && git fsck && git show --stat | tail -n 2'
row tcc tcc 60 tcc -run "$in/small.c" 3
row clang clang 120 sh -c "clang -O1 -c -o s.o $in/small.c && nm s.o"
row as-ld as,ld 60 sh -c "gcc -S -o s.s $in/small.c && as -o s.o s.s && ld -r -o t.o s.o && nm t.o"

group "Interpreters"
row python3-system python3 100 /usr/bin/python3 -I "$in/system.py"
row python3-threads python3 100 /usr/bin/python3 -I "$in/threads.py"
row python3-multiprocessing python3 100 /usr/bin/python3 -I -c 'import multiprocessing as m
with m.get_context("fork").Pool(2) as p: print(p.map(abs, range(-5, 5)))'
row python3-asyncio python3 100 /usr/bin/python3 -I -c 'import asyncio
async def f(n): await asyncio.sleep(n / 100); return n
async def g(): print(await asyncio.gather(*(f(i) for i in range(5)))); p = await asyncio.create_subprocess_exec("echo", "child", stdout=-1); print(await p.communicate())
asyncio.run(g())'
row perl perl 60 perl "$in/pipes.pl"
row ruby ruby 100 ruby -e 'puts `echo a`; t = (1..4).map { |i| Thread.new { (1..i * 1000).sum } }; p t.map(&:value); pid = fork { exit 3 }; Process.wait pid; p $?.exitstatus; p IO.popen("tr a-z A-Z", "r+") { |f| f.puts "x"; f.close_write; f.read }'
row php php 100 php -n -r 'echo array_sum(array_map(fn($x) => $x ** 2, range(1, 100))), " ", trim(shell_exec("echo sh")), " ", md5(str_repeat("x", 1000)), "\n";'
row tclsh tclsh 60 sh -c "echo 'puts [exec echo child]; puts [expr {3**20}]; after 10 {set x 1}; vwait x; puts done' | tclsh"
row lua lua5.4 60 lua5.4 -e 'local p = io.popen("echo child") print(p:read("a"), os.execute("exit 4"))'
row guile guile 100 guile --no-auto-compile -c '(display (let loop ((i 0) (s 0)) (if (= i 10000) s (loop (+ i 1) (+ s (* i i))))))'
row ocaml ocaml 100 sh -c 'echo "let rec f n = if n < 2 then n else f (n-1) + f (n-2);; print_int (f 18);;" >a.ml && ocaml a.ml'
row sbcl sbcl 100 sbcl --noinform --non-interactive --no-sysinit --no-userinit --eval '(print (loop for i below 1000 sum (* i i)))' --eval '(print (handler-case (/ 1 0) (division-by-zero () :caught)))'
row sqlite3 sqlite3 60 sqlite3 :memory: "create table t(a); with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) insert into t select i * 7919 % 1009 from n; select sum(a), count(distinct a) from t;"

group "Just-in-time compilers"
row luajit luajit 60 luajit -Ohotloop=5 -e 'local s = 0 for i = 1, 3e6 do s = s + i % 7 end print(s) local t = {} for i = 1, 1e5 do t[i] = tostring(i) end print(#table.concat(t))'
row node node 200 node "$in/work.js"
row node-workers node 200 node "$in/workers.js"
row node-child node 100 node -e 'const { execFileSync } = require("child_process"); console.log(execFileSync("echo", ["child"]).toString())'
row java java,Work.class 300 java -Xshare:auto -cp "$b" Work
row java-interpreted java,Work.class 300 java -Xint -cp "$b" Work
row java-g1 java,Work.class 300 java -XX:+UseG1GC -XX:ParallelGCThreads=2 -Xmx256m -cp "$b" Work
row pypy3 pypy3 200 pypy3 -I -c 'print(sum(i * i % 7 for i in range(500000))); import subprocess; print(subprocess.run(["echo", "x"], capture_output=True).stdout)'
row php-jit php 100 php -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=8M -r 'for ($i = $s = 0; $i < 300000; $i++) $s += $i % 7; echo $s, "\n";'

group "Threads"
row pthreads - 60 "$b/pthreads"
row address-sanitizer leaks 30 sh -c "$b/leaks; $b/leaks 1 2>&1 | grep -o 'SUMMARY.*'; echo \$?"
row openmp - 60 env OMP_NUM_THREADS=2 "$b/openmp"
row openmp-default - 60 sh -c "OMP_NUM_THREADS=3 $b/openmp"
row go routines 60 "$b/routines"

group "Processor features, rights and places"
row python3-numpy numpy 100 /usr/bin/python3 -I -c 'import numpy as n
a = n.arange(10000.0).reshape(100, 100)
print(n.__version__, (a @ a).sum(), n.sort(n.sin(a).ravel())[::2500], n.linalg.det(a[:3, :3] + n.eye(3)), n.unique(n.arange(999) * 7 % 13))'
row python3-pandas pandas 200 /usr/bin/python3 -I -c 'import pandas as p
d = p.DataFrame({"k": [i % 7 for i in range(2000)], "v": range(2000)})
print(d.groupby("k").v.agg(["sum", "mean"]), d.v.rolling(50).std().sum().round(6))'
row python3-torch torch 300 /usr/bin/python3 -I -c 'import torch as t
t.manual_seed(1); t.set_num_threads(2)
m = t.nn.Sequential(t.nn.Linear(20, 30), t.nn.ReLU(), t.nn.Linear(30, 1)); o = t.optim.SGD(m.parameters(), 0.1); x = t.rand(64, 20)
for i in range(5): o.zero_grad(); l = ((m(x) - x.sum(1, True)) ** 2).mean(); l.backward(); o.step(); print("%.3f" % l.item())'
row go-v2 routines-v2 60 "$b/routines-v2"
row go-v3 routines-v3 60 "$b/routines-v3"
row su su 60 su nobody -s /bin/sh -c 'id; echo $0'
row mount mount,passwd 60 sh -c 'mount --version; passwd --help; umount --version; newgrp --help 2>&1; echo $?'
row wine wine 200 sh -c 'export WINEPREFIX='"$work/wine"'; $WINE cmd /c "echo from wine & ver & dir /b c:\\windows\\win.ini" 2>/dev/null; echo $?; wineserver -w; echo $?'
row static-data-2g placed 60 "$b/placed"

group "Static programs"
row static-glibc small-static 30 "$b/small-static" 4
row static-musl small-musl 30 "$b/small-musl" 4
row busybox-static busybox 30 busybox md5sum "$work/text"

group "32-bit programs"
row i386 small-32 30 "$b/small-32" 4
row i386-static small-32-static 30 "$b/small-32-static" 4
row i386-pthreads pthreads-32 60 "$b/pthreads-32"
row i386-from-64 small-32 30 sh -c "$b/small-32 2 x; echo \$?; $b/small 3; echo \$?"

group "Servers"
row redis redis-server 100 sh -c 'redis-server --port 0 --unixsocket $PWD/s --save "" --daemonize no >log 2>&1 & for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -S s ] && break; sleep 0.5; done; redis-cli -s s set a 5; redis-cli -s s incrby a 37; redis-cli -s s lpush l x y z; redis-cli -s s lrange l 0 -1; redis-benchmark -s s -n 300 -c 5 -t set,get -q >/dev/null 2>&1; echo "bench $?"; redis-cli -s s shutdown nosave; wait; echo "ended $?"'
row nginx nginx,python3 100 sh -c 'mkdir -p html logs; echo served >html/f; printf "daemon off; pid p; error_log logs/e; events {} http { access_log off; client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5; server { listen unix:$PWD/s; root $PWD/html; } }" >c; nginx -p $PWD -c $PWD/c -e logs/e & for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -S s ] && break; sleep 0.5; done; /usr/bin/python3 -I -c "
import socket
s = socket.socket(socket.AF_UNIX); s.connect(\"s\"); s.sendall(b\"GET /f HTTP/1.0\r\n\r\n\")
d = b\"\"
while (x := s.recv(999)): d += x
print(d.split(b\"\r\n\")[0], d.split(b\"\r\n\r\n\")[1])"; kill -QUIT $(cat p); wait; echo "ended $?"'

group "Stress"
for s in cpu vm fork signal futex pthread pipe switch mmap sigsegv clone dup sigpipe; do
	row stress-ng-$s stress-ng 30 sh -c "stress-ng --no-rand-seed --verify --quiet --$s 1 --$s-ops 20 --mmap-bytes 2M --vm-bytes 8M --timeout 60; echo \$?"
done
row ffmpeg ffmpeg 200 sh -c 'ffmpeg -v error -f lavfi -i testsrc=d=0.2:s=64x48 -c:v mpeg4 -threads 2 -bitexact -f framemd5 -'
