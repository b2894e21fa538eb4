#!/bin/bash
# names.sh -- names of what was counted: stripped code by its bounds, stubs of the PLT, inlined functions, and why there is none.
set -u
. "$(dirname "$0")/../lib.sh"
here=$PWD/tests/record
CC=${CC:-cc}
cd "$work" || exit 1

# ---- stripped ------------------------------------------------------------------------------------

# The program calls shown() 100 times, by a stub; shown(40) has 3, 2 and 4 instructions for each of 40 rounds in three functions.
printf 'void shown(unsigned);\nint main(void)\n{\n\tfor (int i = 0; i < 100; i++)\n\t\tshown(40);\n\treturn 0;\n}\n' >user.c
# names NAME [OPTIONS OF CC]: record it with the library as it is, and stripped, into NAME.whole and NAME.bare.
names() {
	local name=$1
	shift
	mkdir -p "$name" && "$CC" "$@" -O1 -g -fPIC -shared -o "$name/libhidden.so" "$here/hidden.c" &&
		"$CC" "$@" -O1 -g -o "$name/user" user.c -L"$name" -lhidden -Wl,-rpath,"$PWD/$name" || return 1
	cp "$name/libhidden.so" "$name/whole.so"
	for which in whole bare; do
		[ $which = bare ] && strip "$name/libhidden.so" "$name/user"
		"$SOFTPMU" record -q --env clean -e instructions -o "$name/$which.rec" -- "./$name/user" 2>err || bad "record $name: $(cat err)"
		"$SOFTPMU" report "$name/$which.rec" --json >"$name/$which.json" 2>"$name/$which.err" || bad "report $name: $(cat "$name/$which.err")"
		"$SOFTPMU" report "$name/$which.rec" --json --inline >"$name/$which.inline" 2>/dev/null
	done
}
# count FILE FUNCTION: its instructions.
count() { jq --arg f "$2" '[.rows[] | select(.function == $f).counts.instructions] | add // 0' "$1"; }

for name in 64 32; do
	if ! names $name -m$name 2>cc.err; then
		[ $name = 32 ] && echo "note: no 32-bit compiler: names of 32-bit code are not tested" || bad "hidden.c does not compile: $(cat cc.err)"
		continue
	fi
	for function in hidden another; do
		want=$(count $name/whole.json $function)
		bound=libhidden.so+0x$(nm $name/whole.so | awk -v f=$function '$3 == f { print $1 }' | sed 's/^0*//')
		got=$(count $name/bare.json "$bound")
		[ "$want" -ge 8000 ] && [ "$got" = "$want" ] && ok || bad "$name: $function has $want instructions, $bound $got when stripped"
	done
	[ "$(count $name/bare.json shown)" = "$(count $name/whole.json shown)" ] && ok || bad "$name: shown is not the same when stripped"
	got=$(count $name/bare.json shown@plt)
	[ "$got" -ge 100 ] && [ "$got" -le 300 ] && ok || bad "$name: the stub of shown has $got instructions"
	grep -q 'libhidden.so without a name: it is stripped' $name/bare.err && ok || bad "$name: nothing says why: $(cat $name/bare.err)"
	grep -q libhidden $name/whole.err && bad "$name: names are there: $(cat $name/whole.err)" || ok
done

# ---- inlined -------------------------------------------------------------------------------------

# 100 calls of 40 rounds of 3 instructions, in spin, which is inlined, and for each call one that copies n, or none; sums stay.
got=$(count 64/whole.inline 'spin (inlined)')
[ "$got" = 12000 ] || [ "$got" = 12100 ] && ok || bad "spin has $got instructions"
[ "$(jq '[.rows[].counts.instructions] | add' 64/whole.inline)" = "$(jq .totals.instructions 64/whole.json)" ] && ok || bad "--inline changes the sum"
[ $(($(count 64/whole.inline shown) + got)) = "$(count 64/whole.json shown)" ] && ok || bad "shown with and without what is inlined"
[ "$(count 64/whole.json 'spin (inlined)')" = 0 ] && ok || bad "inlined functions are named without --inline"

# ---- separate and missing debug information ------------------------------------------------------

# A debug file beside the stripped library, which names it (.gnu_debuglink).
(cd 64 && objcopy --only-keep-debug whole.so libhidden.debug && objcopy --add-gnu-debuglink=libhidden.debug libhidden.so) || bad objcopy
"$SOFTPMU" record -q --env clean -e instructions -o link.rec -- ./64/user 2>/dev/null
"$SOFTPMU" report link.rec --json >link.json 2>link.err
[ "$(count link.json hidden)" = "$(count 64/whole.json hidden)" ] && ok || bad "a debug file gives no names: $(cat link.err)"

# A package's file: what to install.
stripped=/usr/bin/gzip
if [ "$(dpkg-query -S $stripped 2>/dev/null | cut -d: -f1)" = gzip ] && ! readelf -S $stripped | grep -q symtab; then
	"$SOFTPMU" record -q -e instructions -o gzip.rec -- $stripped -c "$here/names.sh" >/dev/null 2>&1
	"$SOFTPMU" report gzip.rec 2>err >/dev/null
	grep -q 'install gzip-dbgsym' err && ok || bad "gzip: $(cat err)"
fi

# A .eh_frame_hdr that lies: any byte of it changed crashes nothing.
at=$((0x$(readelf -SW 64/libhidden.so | sed -n 's/.* .eh_frame_hdr *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')))
cp 64/libhidden.so kept.so
RANDOM=1
for i in $(seq 0 2 39); do
	cp kept.so 64/libhidden.so
	printf "\\$(printf %o $((RANDOM % 256)))\377" | dd of=64/libhidden.so bs=1 seek=$((at + i)) conv=notrunc 2>/dev/null
	"$SOFTPMU" report link.rec --json >lies.json 2>err
	code=$?
	[ $code = 0 ] && [ "$(jq '[.rows[].counts.instructions] | add' lies.json)" = "$(jq .totals.instructions lies.json)" ] || bad "byte $i of .eh_frame_hdr: status $code, $(cat err)"
done
ok

# ---- code of no file -----------------------------------------------------------------------------

"$CC" -O1 -o jitted "$here/jitted.c" && "$SOFTPMU" record -q --env clean -e instructions -o jit.rec -- ./jitted >out 2>err || bad "jitted: $(cat err)"
rm -f $(cat out)
"$SOFTPMU" report jit.rec --json >jit.json 2>err || bad "report: $(cat err)"
[ "$(count jit.json first)" = 2020 ] && [ "$(count jit.json 'second name')" = 6020 ] && ok || bad "jitted: $(jq -c '.rows[] | select(.object == "[anon]")' jit.json)"
[ "$(count jit.json dumped)" = 8040 ] && ok || bad "code of jit-PID.dump, and where it was moved: $(jq -c '.rows[] | select(.object == "[anon]")' jit.json)"
[ "$(count jit.json moved)" = 0 ] && ok || bad "a line of the map that another one replaced has counts"
"$SOFTPMU" record -q --env clean -e instructions -o jit2.rec -- ./jitted >out 2>err && rm -f $(cat out)
"$SOFTPMU" diff jit.rec jit2.rec --json --limit @all=0% --both-ways >out 2>err && [ "$(jq '.functions | length' out)" = 0 ] && ok || bad "two runs differ: $(cat err)"

# A map that is no file of the user's own is not read.
"$CC" -O1 -o jitted-link -x c - <<-C && "$SOFTPMU" record -q -e instructions -o link.rec -- ./jitted-link >out 2>err && rm -f $(cat out)
	#include <stdio.h>
	#include <unistd.h>
	int main(void)
	{
		char path[64];

		snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
		puts(path);
		return symlink("/etc/passwd", path);
	}
C
"$SOFTPMU" report link.rec >/dev/null 2>err && ok || bad "a map that is a link: $(cat err)"

# ---- merge ---------------------------------------------------------------------------------------

"$SOFTPMU" merge jit.rec jit2.rec -o both.rec 2>err && "$SOFTPMU" report both.rec --json >both.json 2>err || bad "merge: $(cat err)"
[ "$(count both.json 'second name')" = 12040 ] && [ "$(jq .totals.instructions both.json)" = $((2 * $(jq .totals.instructions jit.json))) ] && ok || bad "merge: $(jq -c .totals both.json)"
"$SOFTPMU" merge both.rec jit.rec -o three.rec 2>err && "$SOFTPMU" report three.rec --by process --json >out
[ "$(jq -r '[.rows[].process] | sort | join(",")' out)" = "1 jitted,2 jitted,3 jitted" ] && ok || bad "processes of a merge: $(jq -c '[.rows[].process]' out)"
"$SOFTPMU" record -q --cpu pentium -e instructions -o other.rec -- ./jitted >out 2>/dev/null && rm -f $(cat out)
"$SOFTPMU" merge jit.rec other.rec -o never.rec 2>err
[ $? = 2 ] && grep -q 'two processors' err && [ ! -e never.rec ] && ok || bad "merge of two processors: $(cat err)"
cp jit.rec before.rec
"$CC" -O2 -g -o jitted "$here/jitted.c" && "$SOFTPMU" record -q --env clean -e instructions -o build.rec -- ./jitted >out 2>/dev/null && rm -f $(cat out)
"$SOFTPMU" merge jit.rec build.rec -o never.rec 2>err
[ $? = 2 ] && grep -q 'jitted is another file' err && ok || bad "merge of two builds: $(cat err)"
"$SOFTPMU" merge 64/bare.rec jit.rec missing.rec -o jit.rec 2>err
[ $? = 125 ] && cmp -s jit.rec before.rec && ok || bad "a merge that fails changes its output: $(cat err)"

finish
