#!/bin/bash
# run.sh -- libsoftpmu as its users meet it: what it exports, how it is installed, what its examples print.
#
# Software events of the kernel (page faults, clocks) stand in for counters where this machine has none; the
# counters themselves are tested inside softpmu (tests/clients).
set -u
. "$(dirname "$0")/../lib.sh"
root=$PWD
build=$(realpath "$BUILD")

# holds WHAT COMMAND...: the command succeeds
holds() { local what=$1; shift; if "$@" >"$work/out" 2>&1; then ok; else bad "$what: $(head -n 3 "$work/out")"; fi; }
# says WHAT TEXT COMMAND...: and prints a line with TEXT
says() {
	local what=$1 text=$2
	shift 2
	"$@" >"$work/out" 2>&1
	if grep -qF -- "$text" "$work/out"; then ok; else bad "$what: no '$text' in: $(head -n 3 "$work/out")"; fi
}

# ---- what is visible outside --------------------------------------------------------------------
nm -D --defined-only "$BUILD/lib/libsoftpmu.so" | awk '{ print $3 }' | sort >"$work/shared"
nm -g --defined-only "$BUILD/lib/libsoftpmu.a" | awk 'NF == 3 { print $3 }' | sort >"$work/static"
holds "symbols of the shared library" diff include/exports.txt "$work/shared"
holds "symbols of the static library" diff include/exports.txt "$work/static"
for name in $(cat include/exports.txt); do
	grep -qE "SPMU_(API|MEASURES).*[ *]$name[(;]" include/softpmu/*.h || bad "$name is not declared in include/softpmu"
	grep -q "^\.BI .*[ *]$name[(;]" docs/*.3 || bad "$name is in the synopsis of no page"
done
# every function of the headers, those that are all in them, too
functions=$(grep -ohE '\b(spmu|pmc)_[a-z_]+\(' include/softpmu/*.h | tr -d '(' | sort -u)
# the page of a function
page_of() { [[ $1 = pmc_* ]] && echo pmc_lib.3 || echo softpmu.3; }
for name in $functions; do
	grep -q "^\.BI .*[ *]$name(" "docs/$(page_of "$name")" && ok || bad "$name is not in the synopsis of $(page_of "$name")"
done

# ---- the page alone is enough to write a program: its structures are those of the headers, its example builds ----------
# members FILE...: the declarations in structures and enumerations, without comments
members() { sed 's,/\*.*,,; s/\\//g; s/[[:space:]]\+/ /g; s/ $//' "$@" | grep -E '^(struct|enum) spmu_[a-z_]+ \{|^ [a-z].*;$' | grep -v '^ return' | sort; }
sed -n '/^\.SS Structures/,/^\.SH/p' docs/softpmu.3 | members >"$work/page"
members include/softpmu/softpmu.h include/softpmu/catalog.h include/softpmu/error.h >"$work/headers"
[ "$(wc -l <"$work/page")" -gt 20 ] && [ -z "$(comm -23 "$work/page" "$work/headers")" ] && ok ||
	bad "structures of softpmu(3) differ from the headers: $(comm -23 "$work/page" "$work/headers" | head -n 3)"
for s in settings error total event_info; do grep -q "^struct spmu_$s {" "$work/page" && ok || bad "struct spmu_$s is not in softpmu(3)"; done
{
	printf '#include <softpmu/softpmu.h>\n#include <stdlib.h>\nstatic int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n'
	printf 'int main(void)\n{\n\tstatic int number[1000];\n\tconst size_t n = 1000;\n\n'
	sed -n '/^\.SH EXAMPLE/,/^\.fi/p' docs/softpmu.3 | grep -v '^\.' | sed 's/\\en/\\n/'
	printf '}\n'
} >"$work/page.c"
sed -n '/^\.SH EXAMPLE/,/^\.fi/p' docs/pmc_lib.3 | grep -v '^\.' >"$work/pmc.c"
holds "the example of pmc_lib(3)" ${CC:-gcc} -Wall -Wextra -Werror -Iinclude -I"$BUILD/include" -o "$work/pmc.out" "$work/pmc.c" \
	"$BUILD/lib/libsoftpmu.a" -lpthread
holds "the example of softpmu(3)" ${CC:-gcc} -Wall -Wextra -Werror -Iinclude -o "$work/page.out" "$work/page.c" "$BUILD/lib/libsoftpmu.a" -lpthread

# ---- installed, found by pkg-config's file, used from C, C++, shared and static ------------------
make -s install-lib BUILD="$BUILD" PREFIX=/opt/softpmu DESTDIR="$work/root" >"$work/install" 2>&1 || bad "install-lib: $(head -n 3 "$work/install")"
lib=$work/root/opt/softpmu/lib inc=$work/root/opt/softpmu/include
for name in $functions; do
	f=$work/root/opt/softpmu/share/man/man3/$name.3
	grep -qx "\.so man3/$(page_of "$name")" "$f" 2>/dev/null && ok || bad "man $name: no such page is installed"
done
for f in softpmu.h page.h error.h catalog.h pmc_lib.h pmc_events.h; do [ -f "$inc/softpmu/$f" ] && ok || bad "$f is not installed"; done
holds "soname" test "$(objdump -p "$lib/libsoftpmu.so" | awk '/SONAME/ { print $2 }')" = libsoftpmu.so.0
# the .pc file as pkg-config reads it, with DESTDIR before its paths
flag() { sed -n "s/^$1: //p" "$lib/pkgconfig/softpmu.pc" | sed "s,\${prefix},$work/root/opt/softpmu,g; s,\${libdir},$lib,g; s,\${includedir},$inc,g"; }
grep -q '^prefix=/opt/softpmu$' "$lib/pkgconfig/softpmu.pc" && ok || bad "softpmu.pc: prefix"
for e in examples/*.c; do
	name=$(basename "$e" .c)
	holds "shared $name" ${CC:-gcc} -std=c99 -pedantic -Wall -Wextra -Werror -Wno-gnu-zero-variadic-macro-arguments $(flag Cflags) -o "$work/$name" "$e" \
		$(flag Libs) -Wl,-rpath,"$lib" -lpthread
	holds "static $name" ${CC:-gcc} -O2 -Wall -Wextra -Werror $(flag Cflags) -o "$work/$name.static" "$e" "$lib/libsoftpmu.a" -lpthread
done
if command -v g++ >/dev/null; then
	printf '#include <softpmu/softpmu.h>\n#include <softpmu/page.h>\n#include <softpmu/catalog.h>\n#include <softpmu/pmc_lib.h>\nint main() { return spmu_cpu_name(0) == nullptr; }\n' >"$work/plus.cc"
	holds "C++" g++ -Wall -Wextra -Werror $(flag Cflags) -o "$work/plus" "$work/plus.cc" "$lib/libsoftpmu.a"
	holds "C++ runs" "$work/plus"
fi
# pkg-config itself, told that the tree lies below a folder
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_PATH=$lib/pkgconfig
	holds "examples from the installed tree" env -u SOFTPMU make -s -C examples OUT="$work/installed" CC="${CC:-gcc}" LDFLAGS="-Wl,-rpath,$lib"
	says "an example from the installed tree" "read with" "$work/installed/span" --pmu-events page-faults
	holds "pkg-config --static" ${CC:-gcc} -static $(pkg-config --cflags softpmu) -o "$work/span.alone" examples/span.c \
		$(pkg-config --static --libs softpmu)
	says "a static program" "read with" "$work/span.alone" --pmu-events page-faults
	unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH
fi
holds "examples by their own Makefile" make -s -C examples SOFTPMU="$build" OUT="$work/made" CC="${CC:-gcc}"

# ---- 32 bits -----------------------------------------------------------------------------------
echo 'int main(void) { return 0; }' >"$work/m32.c"
if ${CC:-gcc} -m32 -o "$work/m32" "$work/m32.c" 2>/dev/null && "$work/m32" 2>/dev/null; then
	holds "32-bit library" make -s -j2 BUILD="$BUILD/m32" CFLAGS=-m32 LDFLAGS=-m32 "$BUILD/m32/lib/libsoftpmu.a"
	holds "32-bit example" ${CC:-gcc} -m32 -Wall -Werror $(flag Cflags) -o "$work/regions32" examples/regions.c "$BUILD/m32/lib/libsoftpmu.a"
	says "32-bit example" "the smallest is" "$work/regions32" --pmu-events page-faults
fi

# ---- what they print ---------------------------------------------------------------------------
r=$work/regions
says "catalog" "INST_RETIRED (C0H" "$work/events" pentium3 0xc0
says "catalog, twin" "has no event nonsense" "$work/events" pentium nonsense
says "text" "page-faults   task-clock (ns)" "$r" --pmu-events page-faults,task-clock
if SOFTPMU_EVENTS=page-faults,task-clock SOFTPMU_FORMAT=json SOFTPMU_OUTPUT="$work/json.%p" "$r" 100000 >"$work/out" 2>&1; then
	f=$(echo "$work"/json.[0-9]*)
	# 100000 numbers lie on 98 pages, touched when they are filled for the first time (the first page: by malloc)
	holds "JSON" jq -e '.regions[0] == (.regions[0] | select(.name == "fill" and .entries == 3)) and
		.regions[0].counts[0] >= 97 and .regions[0].least[0] == 0 and .regions[0].most[0] >= 97 and
		.regions[1].name == "sort" and .events[1].unit == "ns" and (.threads | length) == 1 and
		.threads[0].regions[0].counts == .regions[0].counts' "$f"
else
	bad "json: $(head -n 3 "$work/out")"
fi
if SOFTPMU_EVENTS=task-clock SOFTPMU_FORMAT=json SOFTPMU_OUTPUT="$work/threads.json" "$work/threads" >/dev/null 2>"$work/out"; then
	holds "threads" jq -e '(.threads | length) == 3 and .regions[0].entries == 6 and
		([.threads[].regions[0].entries] | sort) == [1, 2, 3] and
		([.threads[].regions[0].counts[0]] | add) == .regions[0].counts[0]' "$work/threads.json"
else
	bad "threads: $(head -n 3 "$work/out")"
fi
# The words of the library are taken out of argv, the program's own stay.
says "arguments" "the smallest is" "$r" --pmu-events=page-faults --pmu-format text 50
says "missing value" "--pmu-events: a value is wanted behind it" "$r" --pmu-events
says "bad format" "--pmu-format xml: there are text and json" "$r" --pmu-format xml
says "bad variable" "SOFTPMU_SERIAL=yes: 0 or 1 is wanted" env SOFTPMU_SERIAL=yes "$r"
says "unknown event" "did you mean instructions?" "$r" --pmu-events instructionz
says "too many events" "at most 32" "$r" --pmu-events "$(printf 'page-faults,%.0s' $(seq 32))page-faults"
says "a result that cannot be written" "the counts cannot be written" "$r" --pmu-events page-faults --pmu-output /nonexistent/result
says "the same at the end of the program" "softpmu: the counts cannot be written to /dev/full" \
	env SOFTPMU_EVENTS=page-faults SOFTPMU_OUTPUT=/dev/full "$work/threads"
holds "empty spans are not negative" sh -c "'$work/span' --pmu-events page-faults | grep -qx '0 rounds: 0 page-faults'"
says "read(2) when asked" "read with read(2)" "$work/span" --pmu-events page-faults --pmu-no-inline

# Without counters: one sentence that names softpmu run. With counters: it counts.
if "$r" --pmu-events instructions >"$work/out" 2>&1; then
	grep -q '^ fill ' "$work/out" && ok || bad "counters: $(cat "$work/out")"
else
	[ "$(wc -l <"$work/out")" = 1 ] && grep -qF "softpmu run -- $r" "$work/out" && ok || bad "no counters: $(cat "$work/out")"
fi

finish
