#!/bin/bash
# ld_cache.sh -- the loader's list that the program is shown. In a mount namespace /etc/ld.so.cache is another one, as on a
# machine where more is installed: with the program's own list counts stay the same, with the machine's they do not. A library that the
# list alone leads to is found when the program is linked with it, and named in a note when it is only opened.
. "$(dirname "$0")/lib.sh"

host=/etc/ld.so.cache
if ! unshare -rm true 2>/dev/null || [ ! -e $host ] || ! command -v ldconfig >/dev/null; then
	skip "ld_cache: no mount namespaces or no $host here"
	finish
fi
mkdir "$work/far"
echo 'int far_away(void) { return 7; }' >"$work/far.c"
cat >"$work/linked.c" <<'EOF'
int far_away(void);
int main(void) { return far_away() - 7; }
EOF
cat >"$work/opens.c" <<'EOF'
#include <dlfcn.h>
int main(void) { return dlopen("libfaraway.so.1", RTLD_NOW) ? 0 : 3; }
EOF
widths=64
echo 'int main(void) { return 0; }' | $CC -m32 -x c -o "$work/narrow" - 2>/dev/null && "$work/narrow" 2>/dev/null && widths="64 32"

# at CACHE COMMAND...: with that file in the place of the machine's
at() {
	local cache=$1
	shift
	unshare -rm sh -c 'mount --bind "$0" /etc/ld.so.cache && exec "$@"' "$cache" "$@"
}

for width in $widths; do
	$CC -m$width -O1 -shared -fPIC -Wl,-soname,libfaraway.so.1 -o "$work/far/libfaraway.so.1" "$work/far.c" &&
		$CC -m$width -O1 -o "$work/linked" "$work/linked.c" "$work/far/libfaraway.so.1" &&
		$CC -m$width -O1 -o "$work/opens" "$work/opens.c" -ldl || exit 1
	{
		cat /etc/ld.so.conf
		echo "$work/far"
	} >"$work/conf"
	(cd /etc && ldconfig -X -f "$work/conf" -C "$work/more" 2>/dev/null)
	[ -s "$work/more" ] || { bad "ldconfig made no list"; finish; }

	# The list of the machine is another one there; the program's own is the same.
	for shown in own host; do
		for cache in $host "$work/more"; do
			at "$cache" timeout 900 "$SOFTPMU" stat --env clean --ld-cache $shown -x, -e inst_retired,l2_lines_in -- \
				"$work/opens" 2>&1 | grep -a ,, | cut -d, -f1
		done >"$work/counts.$shown"
	done
	half=$(($(wc -l <"$work/counts.own") / 2))
	[ $half = 2 ] && cmp -s <(head -n 2 "$work/counts.own") <(tail -n 2 "$work/counts.own") && ok ||
		bad "$width bits: with its own list the program counts otherwise where more is installed: $(paste -sd' ' "$work/counts.own")"
	cmp -s <(head -n 2 "$work/counts.host") <(tail -n 2 "$work/counts.host") &&
		bad "$width bits: the machine's list makes no difference, so this test shows nothing" || ok

	at "$work/more" timeout 900 "$SOFTPMU" stat --env clean -e inst_retired -- "$work/linked" >"$work/out" 2>&1 && ok ||
		bad "$width bits: a library that only the machine's list leads to is not found: $(head -n 2 "$work/out")"
	at "$work/more" timeout 900 "$SOFTPMU" stat --env clean -e inst_retired -- "$work/opens" >"$work/out" 2>&1
	[ $? = 3 ] && grep -q 'did not find libfaraway.so.1.*--ld-cache host' "$work/out" && ok ||
		bad "$width bits: dlopen of a library that the program does not name: $(grep -v '^$' "$work/out" | head -n 3)"
	at "$work/more" timeout 900 "$SOFTPMU" stat --env clean --ld-cache host -e inst_retired -- "$work/opens" >"$work/out" 2>&1 &&
		! grep -q 'ld-cache' "$work/out" && ok || bad "$width bits: --ld-cache host: $(head -n 3 "$work/out")"
done
finish
