# selftests.sh -- list the kernel's selftests/x86. Sourced by suites.sh.
#
# Which there are, in which widths and how they are built is asked of their own Makefile.
x86=$(echo "$src"/linux-*/tools/testing/selftests/x86)

make -n -C "$x86" OUTPUT=/none all 2>/dev/null | sed -n 's|.* -o /none/\([^ ]*\) .*|\1|p' | sort | while read -r name; do
	entry "$name" status 60 - "make -s -C $x86 OUTPUT=\$dir \$dir/$name" "\$dir/$name"
done
