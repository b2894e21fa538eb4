#!/bin/bash
# built.sh -- what names code in a trace: names of JIT code as its compiler wrote them, when the files are gone; build-ids of files,
# so that one which was built anew names nothing.
. "$(dirname "$0")/../lib.sh"

trap 'rm -rf "$work"' EXIT
: "${CC:=cc}"
export LC_ALL=C
here=$PWD/tests
cd "$work" || exit 1

# rows RECORD: function, object and count of each row
rows() { "$SOFTPMU" report --json "$1" 2>>err | grep -oE '"(function|object|instructions)": [^,]*' | paste -d' ' - - - | sort; }

# Code of no file: live, and from a trace whose map and dump were deleted.
$CC -O1 -o jitted "$here/record/jitted.c" || { bad "jitted.c does not build"; finish; }
timeout 120 "$SOFTPMU" record -q --env clean -e instructions -o live.rec -- ./jitted >out 2>err </dev/null || bad "record: $(cat err)"
rows live.rec | grep 'anon' >live
rm -f $(cat out)
timeout 120 "$SOFTPMU" trace -q --env clean -o jit.spt -- ./jitted >out 2>err </dev/null || bad "trace: $(cat err)"
rm -f $(cat out)
timeout 120 "$SOFTPMU" record -q --from-trace jit.spt -e instructions -o again.rec 2>err || bad "record --from-trace: $(cat err)"
rows again.rec | grep 'anon' >again
[ "$(wc -l <live)" -ge 3 ] && grep -q 'second name' again && cmp -s live again && ok || bad "names of JIT code: $(diff live again | head -n 4 | tr '\n' ' ')"

# A program that is built anew, or gone, behind the trace.
echo 'int inner(int n) { volatile int s = 0; while (n--) s++; return s; } int main(void) { return inner(1000) == 0; }' >prog.c
$CC -O1 -Wl,--build-id -o prog prog.c && timeout 120 "$SOFTPMU" trace -q --env clean -o prog.spt -- ./prog 2>err </dev/null || bad "trace: $(cat err)"
told() { # TITLE FUNCTIONS SENTENCES
	timeout 120 "$SOFTPMU" record --from-trace prog.spt -e instructions -o prog.rec >said 2>&1 || bad "$1: $(cat said)"
	[ "$(rows prog.rec | grep -c '"inner"')" = "$2" ] && [ "$(grep -c 'not the file that was executed' said)" = "$3" ] && ok || bad "$1: $(rows prog.rec | grep prog | head -n 2 | tr '\n' ' ') $(grep Note said | tail -n 1)"
	[ "$("$SOFTPMU" report prog.rec 2>&1 >/dev/null | grep -c "prog' is not what was recorded")" = "$3" ] && ok || bad "$1: report says $("$SOFTPMU" report prog.rec 2>&1 >/dev/null | head -n 2)"
}
told "the file of the trace" 1 0
sed -i 's/int inner/int other(int n) { return n; } int inner/' prog.c
mv prog old && $CC -O1 -Wl,--build-id -o prog prog.c || bad "prog does not build again"
told "a file that was built anew" 0 1
rm prog
told "a file that is gone" 0 1
mv old prog
told "the file is there again" 1 0

# What identifies files is text that a stranger may have changed: what is none is left out.
cp prog.spt whole.spt
for change in 's/"build_id":/"build_xx":/' 's/"build_id":"../"build_id":"!!/' 's,"path":"/,"path":"x,' 's/"bytes":/"bytes"x/' 's/{"path"/["path"/'; do
	sed "$change" whole.spt >prog.spt
	cmp -s whole.spt prog.spt && bad "'$change' changes nothing"
	told "$change" 1 0
done
cd / && finish
