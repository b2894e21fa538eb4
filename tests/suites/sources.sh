# sources.sh -- fetch the source packages whose tests are run, and unpack what is needed. Sourced by suites.sh.
#
# The packages come from Debian's archive through apt-get source, with a list of sources and an index of
# their own in build/suites/apt: the machine's own configuration is neither used nor changed, and no root is
# needed. Nothing is unpacked but the tests (and glibc, which is built for them).

# package_of SUITE: Debian's source package
package_of() {
	case $1 in
	torture) echo gcc-12 ;;
	selftests) echo linux ;;
	qemu) echo qemu ;;
	glibc) echo glibc ;;
	esac
}

# download PACKAGE: its archives into build/suites/down
download() {
	local apt=$SUITES/apt release
	ls "$SUITES/down/$1"_*.orig.tar.* >/dev/null 2>&1 && return
	release=$(. /etc/os-release; echo "${VERSION_CODENAME:-bookworm}")
	mkdir -p "$apt/lists/partial" "$SUITES/down"
	echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
		"${SUITES_MIRROR:-http://deb.debian.org/debian} $release main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-END
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::State::lists "$apt/lists";
	Dir::Cache::pkgcache "";
	Dir::Cache::srcpkgcache "";
	APT::Sandbox::User "root";
	END
	echo "fetching the source package $1" >&2
	(cd "$SUITES/down" && export APT_CONFIG="$apt/apt.conf" &&
		apt-get update -qq && apt-get source -qq --download-only "$1" >/dev/null) ||
		{ echo "suites.sh: cannot fetch the source package $1" >&2; return 1; }
}

# unpack PACKAGE: the parts of it that hold tests
unpack() {
	local a
	a=$(ls "$SUITES/down/$1"_*.orig.tar.* | tail -n 1)
	case $1 in
	gcc-12) tar xOf "$a" --wildcards '*/gcc-12*.tar.xz' |
		tar xJC "$src" --wildcards '*/gcc/testsuite/gcc.c-torture/execute' ;;
	linux) tar xf "$a" -C "$src" --wildcards '*/tools/testing/selftests/x86' '*/tools/testing/selftests/*.h' \
		'*/tools/testing/selftests/lib.mk' '*/arch/x86/include/asm' '*/tools/scripts' '*/scripts/subarch.include' ;;
	qemu) tar xf "$a" -C "$src" --wildcards '*/tests/tcg' ;;
	glibc) tar xf "$a" -C "$src" && # Debian leaves the manual out; the tests need no character sets and locales
		sed -i 's/ iconvdata wctype manual / wctype /; s/ localedata timezone / timezone /' "$src"/glibc-*/Makeconfig ;;
	esac
}

fetch_sources() {
	local package
	package=$(package_of "$1")
	mkdir -p "$src"
	[ -f "$src/.$package" ] && return
	download "$package" && unpack "$package" && touch "$src/.$package"
}

# sources_used: ", gcc-12 12.2.0, ..." for the report
sources_used() {
	local f
	for f in "$SUITES"/down/*.dsc; do
		[ -f "$f" ] && basename "$f" .dsc | sed 's/_/ /; s/^/, /'
	done | tr -d '\n' | sed 's/^,/:/'
}
