# torture.sh -- list gcc's c-torture execute tests, each at -O0 and -O2 in 64 and 32 bits. Sourced by suites.sh.
#
# Options are those that the tests' dg-options lines name for every machine or for x86, and those of the
# .exp and .x files of the folders ieee and builtins. The list goes through the four ways first and the
# files second, so that a stride sees them all.
execute=$(echo "$src"/gcc-*/gcc/testsuite/gcc.c-torture/execute)

# A line per file that has options: path, those of both widths, those of 32 bits only.
torture_options() {
	find "$execute" -name '*.[cS]' -exec awk '
		/\{ *dg-(additional-)?options/ {
			flags = target = $0
			sub(/.*dg-(additional-)?options *[{"]* */, "", flags)
			sub(/["}].*/, "", flags)
			sub(/.*dg-(additional-)?options *(\{[^}]*\}|"[^"]*")/, "", target)
			if (target ~ /ia32/)
				narrow[FILENAME] = narrow[FILENAME] " " flags
			else if (target ~ /86|fpic/ || target !~ /target/)
				both[FILENAME] = both[FILENAME] " " flags
		}
		END {
			for (f in both) print f "|" both[f] "|" narrow[f]
			for (f in narrow) if (!(f in both)) print f "||" narrow[f]
		}' {} +
}

# torture PREFIX FILE MORE...: one entry; $bits and $level say which way
torture() {
	local base=${2##*/} flags="-w $level -m$bits ${both[$2]:-}" prefix=$1
	[ "$bits" = 64 ] || flags="$flags ${narrow[$2]:-}"
	base=${base%.*}
	shift
	entry "$prefix$base$level-$bits" output 30 - "${CC:-gcc} $flags $* -o \$dir/prog -lm" '$dir/prog'
}

# What a .x file adds: set or lappend additional_flags -f...
x_flags() {
	[ -f "$1" ] && sed -n 's/^l*[a-z]* additional_flags "*\(-f[a-z-]*\)"*$/\1/p' "$1"
}

declare -A both narrow
while IFS='|' read -r f b n; do
	both[$f]=${b# } narrow[$f]=${n# }
done < <(torture_options)

for way in "64 -O0" "64 -O2" "32 -O0" "32 -O2"; do
	bits=${way% *} level=${way#* }
	for f in "$execute"/*.[cS]; do
		torture "" "$f"
	done
	for f in "$execute"/ieee/*.c; do
		more=$(x_flags "${f%.c}.x")
		[ "$bits" = 64 ] || more="$more -ffloat-store"
		torture ieee- "$f" $more
	done
	for f in "$execute"/builtins/*.c; do
		case $f in *-lib.c) continue ;; esac
		torture builtins- "$f" -fno-tree-dse -fno-tree-loop-distribute-patterns -fno-tracer -fno-ipa-ra \
			-fno-inline-functions $(x_flags "${f%.c}.x") "${f%.c}-lib.c" "$execute/builtins/lib/main.c"
	done
done
