#!/bin/bash
# twelve.sh -- sums on twelve kinds of programs: for every event of every tier and both families the rows of a record sum to stat's
# totals, and its calling contexts, too; little belongs to no instruction, and to no caller that is known.
#
# make check takes two configurations for each program, in turn; check-all takes all of them.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests
CC=${CC:-cc}
cd "$work" || exit 1

cat >vfork.c <<'END'
#include <spawn.h>
#include <sys/wait.h>
extern char **environ;
int main(void)
{
	char *argv[] = {"true", 0};
	int child, status = 0;

	for (int i = 0; i < 3; i++)
		if (posix_spawn(&child, "/bin/true", 0, 0, argv, environ) || waitpid(child, &status, 0) != child)
			return 1;
	return status;
}
END
cat >main.go <<'END'
package main

import "fmt"

func deep(n int) int {
	var room [256]byte
	if n == 0 {
		return 1
	}
	room[n%256] = byte(n)
	return deep(n-1) + int(room[n%256])%2
}

func main() {
	c := make(chan int)
	for i := 0; i < 4; i++ {
		go func() { c <- deep(200) }()
	}
	n := 0
	for i := 0; i < 4; i++ {
		n += <-c
	}
	fmt.Println(n)
}
END
"$CC" -O1 -o dynamic "$here/record/busy.c" -pthread && "$CC" -O1 -static -o static "$here/record/busy.c" -pthread &&
	"$CC" -O1 -o threads "$here/paths/many.c" -pthread && "$CC" -O1 -o signals "$here/paths/handler.c" &&
	"$CC" -O1 -o longjmp "$here/paths/jump.c" && "$CC" -O1 -o vfork vfork.c && "${CXX:-c++}" -O1 -o throw "$here/paths/throw.cpp" ||
	{ echo "FAIL the programs do not compile"; exit 1; }
"$CC" -m32 -O1 -o i386 "$here/record/busy.c" -pthread 2>/dev/null || echo "note: i386 is left out: no 32-bit compiler"
HOME=$work GOFLAGS=-mod=mod GO111MODULE=off timeout 300 go build -o go main.go 2>/dev/null || echo "note: Go is left out: no go here (Debian: golang-go)"
command -v node >/dev/null || echo "note: node is left out: it is not here (Debian: nodejs)"

# check PROGRAM CPU TIER STACKS
check() {
	local what="$*" program=$1 cpu=$2 tier=$3 stacks=$4 command=()
	case $program in
	fork) steady_numbers; command=(sh -c 'for i in 1 2; do (:); done') ;;
	exec) steady_numbers; command=(sh -c 'exec /bin/true') ;;
	node) command=(node -e 'let n=0;for(let i=0;i<1000;i++)n+=i;console.log(n)') ;;
	*) command=("./$program") ;;
	esac
	"$SOFTPMU" record -q --cpu $cpu --env clean --all --tier $tier --stacks $stacks -o rec -- "${command[@]}" >/dev/null 2>err </dev/null ||
		bad "$what: record: $(head -n 1 err)"
	"$SOFTPMU" report rec --by object --json >rows.json 2>err || { bad "$what: report: $(head -n 1 err)"; return; }
	cp rows.json totals.json
	case $program in
	go | node) ;; # they look at the time
	*)
		"$SOFTPMU" stat --cpu $cpu --env clean --all --tier $tier --json -o stat.json -- "${command[@]}" >/dev/null 2>err </dev/null
		jq '{totals: [.events[] | select(.status == "counted") | {key: .name, value: .value}] | from_entries}' stat.json >totals.json
		;;
	esac
	# what nobody caused is 0.1 % at most, timers and snoops excepted
	jq -n -r --slurpfile t totals.json --slurpfile r rows.json '$t[0].totals as $t | $r[0].rows as $rows |
		if ($t | length) < 5 then "few events" else $t | to_entries[] | .key as $e | .value as $v | ([$rows[].counts[$e]] | add) as $sum |
			([$rows[] | select(.function == "[machine]").counts[$e]] | add // 0) as $m |
			select($sum != $v or ($m > $v / 1000 and ($e | test("SNOOP|INTERRUPT|TIMER|RETIREMENT_SLOTS"; "i") | not))) |
			"\($e): stat \($v), rows \($sum), machine \($m)" end' >odd
	[ ! -s odd ] && ok || bad "$what: $(head -n 3 odd | tr '\n' ';')"
	[ $stacks = off ] && return
	"$SOFTPMU" report rec --inclusive --json >paths.json 2>err || { bad "$what: report --inclusive: $(head -n 1 err)"; return; }
	jq -n -r --slurpfile t totals.json --slurpfile p paths.json '$t[0].totals | to_entries[] | .key as $e | .value as $v |
		([$p[0].rows[].own[$e]] | add // 0) as $sum | ([$p[0].rows[] | select(.function == "[unknown]").counts[$e]] | add // 0) as $u |
		select($sum != $v or ($e | test("^INST"; "i")) and $u > $v / 100) | "\($e): total \($v), contexts \($sum), unknown \($u)"' >odd
	[ ! -s odd ] && ok || bad "$what: $(head -n 3 odd | tr '\n' ';')"
}

configurations=("pentium3 2 on" "pentium-mmx 2 on" "pentium3 3 on" "pentium-mmx 3 on" "pentium3 1 on" "pentium 2 off" "pentium 3 off" "pentium-mmx 1 off")
n=0
for program in static dynamic threads fork i386 signals longjmp throw go node exec vfork; do
	case $program in
	fork | exec) ;;
	node) command -v node >/dev/null || continue ;;
	*) [ -x $program ] || continue ;;
	esac
	if [ "${CHECK_LEVEL:-quick}" = all ]; then
		for c in "${configurations[@]}"; do check $program $c; done
	elif [ $program = node ]; then
		check node pentium3 2 on
	else
		check $program ${configurations[n % 4]}
		check $program ${configurations[(n + 1) % 2]}
	fi
	n=$((n + 1))
done

finish
