#!/bin/bash
# check-static.sh [ARCHIVE] -- the static executable where nothing else is: in a root with busybox alone, in one with musl,
# in Debian 11 and in the Debian after 12, and under the system calls of Linux 4.15. Part of `make check-install`.
#
# Needs root, busybox-static, musl-tools, debootstrap and a Debian mirror (MIRROR); a root that cannot be had is told
# as skipped. Without ARCHIVE it is built. The roots of Debian are kept in build/install (INSTALL_ROOTS names another).
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
given=${1:+$(realpath "$1")}
. "$here/tests/engine/lib.sh"
work=${work:?}
mirror=${MIRROR:-http://deb.debian.org/debian}
roots=${INSTALL_ROOTS:-$here/build/install}
mkdir -p "$roots"
archive=$given
if [ -z "$archive" ]; then
	archive=$(packaging/static.sh "$work/static") || { bad "the archive is not built"; finish; }
fi

# What it is, and what is in it.
mkdir "$work/it" && tar -xzf "$archive" -C "$work/it" --strip-components=1
it=$work/it
size=$(stat -c %s "$archive")
[ "$size" -le 8388608 ] && ok || bad "the archive has $size bytes, more than 8 MB"
[ -z "$(readelf -lW "$it/bin/softpmu" | grep -E 'INTERP|NEEDED')" ] && ok || bad "the executable asks for a loader"
for command in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' src/cli/commands.def); do
	[ -s "$it/share/man/man1/softpmu-$command.1" ] && ok || bad "no manual page of softpmu $command"
done
for file in share/bash-completion/completions/softpmu share/zsh/site-functions/_softpmu share/fish/vendor_completions.d/softpmu.fish \
	share/doc/softpmu/examples/regions.c share/doc/softpmu/LICENSE; do
	[ -s "$it/$file" ] && ok || bad "the archive has no $file"
done
for part in bzip2 elfutils gcc-12 glibc jansson libpfm4 libzstd sqlite3 xz-utils zlib zycore-c zydis; do
	[ -s "$it/share/doc/softpmu/licences/$part" ] && ok || bad "the archive has no licences of $part"
done
lines=$(SOFTPMU=$it/bin/softpmu tests/engine/old_kernel.sh)
case $lines in *" 0 failed") ok ;; *) bad "Linux 4.15: $lines" ;; esac

# Programs: one without any library, with a name to find, and one that musl loads.
cat >"$work/count.c" <<-'END'
	__attribute__((noinline)) int many_times(volatile int *a)
	{
		int sum = 0;

		for (int i = 0; i < 200000; i++)
			sum += a[i * 61 & 4095] = i;
		return sum;
	}

	int test_main(long argc, char **argv)
	{
		static volatile int a[4096];

		return many_times(a) == 7;
	}
END
bare "$work/count" -g "$work/count.c" || bad "the program is not built"
cat >"$work/musl.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>

	int main(void)
	{
		char *text = malloc(1000);

		for (int i = 0; i < 1000; i++)
			sprintf(text, "%d times", i);
		return puts(text) < 0;
	}
END
musl-gcc -O1 -o "$work/musl" "$work/musl.c" || bad "musl-gcc: the program is not built"

# counts ROOT PROGRAM: what stat says of it there, but the time; by the kernel's own chroot, nothing is mounted
counts() {
	timeout 300 chroot "$1" /opt/bin/softpmu stat --env clean -e instructions,dcu_lines_in,l2_lines_in,cycles --log-fd 1 -- "$2" 2>&1 |
		grep -E '^ +[0-9,]+ +[a-z]|digest|softpmu:' | grep -v seconds
}

# root NAME: a root with the archive unpacked by its own tar, and the programs
has() {
	cp "$work/count" "$work/musl" "$1/" && cp "$archive" "$1/it.tar.gz" && mkdir -p "$1/opt" &&
		env -i PATH=/bin:/usr/bin:/usr/sbin chroot "$1" ${2:-} tar -xzf /it.tar.gz -C /opt &&
		mv "$1"/opt/softpmu-*/* "$1/opt/" || { bad "$1: the archive is not unpacked"; return 1; }
}

# same NAME ROOT: the counts and the digest of the first root
same() {
	counts "$2" /count >"$work/got.$1"
	[ -s "$work/want" ] || cp "$work/got.$1" "$work/want"
	grep -q 'input digest [0-9a-f]\{16\}' "$work/got.$1" && cmp -s "$work/want" "$work/got.$1" && ok ||
		bad "$1: $(diff "$work/want" "$work/got.$1")"
}

mkdir -p "$work/alone/bin" "$work/with-musl/bin" "$work/with-musl/lib"
for root in "$work/alone" "$work/with-musl"; do
	cp /bin/busybox "$root/bin/" # static, of busybox-static
done
cp -L /lib/ld-musl-x86_64.so.1 "$work/with-musl/lib/"
if has "$work/alone" /bin/busybox; then
	same alone "$work/alone"
	# Names of functions need /proc, which is mounted for this alone.
	chroot "$work/alone" /opt/bin/softpmu doctor | grep -q '^note  files of processes .*/proc is not mounted' && ok ||
		bad "alone: doctor says nothing of /proc"
	mkdir "$work/alone/proc"
	unshare -m sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /opt/bin/softpmu record -q -o /r -- /count' \
		sh "$work/alone" >"$work/err" 2>&1 && chroot "$work/alone" /opt/bin/softpmu report /r 2>&1 | grep -q many_times && ok ||
		bad "alone: no function in the report: $(tail -n 3 "$work/err")"
fi
if has "$work/with-musl" /bin/busybox; then
	same with-musl "$work/with-musl"
	counts "$work/with-musl" /musl >"$work/got.musl"
	grep -q 'input digest' "$work/got.musl" && ok || bad "a program of musl: $(cat "$work/got.musl")"
fi
for release in bullseye trixie; do
	base=$roots/$release
	if [ ! -e "$base/.complete" ]; then
		rm -rf --one-file-system "$base"
		debootstrap --variant=minbase "$release" "$base" "$mirror" >"$work/log" 2>&1 ||
			{ skip "$release: debootstrap: $(tail -n 1 "$work/log")"; continue; }
		touch "$base/.complete"
	fi
	cp -a --reflink=auto "$base" "$work/$release"
	has "$work/$release" && same $release "$work/$release"
	# A program of that Debian, and musl's beside it: its counts are those of the root with musl alone.
	chroot "$work/$release" /opt/bin/softpmu stat -e instructions -- ls / >"$work/out" 2>&1 && grep -q digest "$work/out" && ok ||
		bad "$release: ls: $(tail -n 3 "$work/out")"
	cp -L /lib/ld-musl-x86_64.so.1 "$work/$release/lib/"
	counts "$work/$release" /musl >"$work/out"
	cmp -s "$work/got.musl" "$work/out" && ok || bad "$release: a program of musl: $(diff "$work/got.musl" "$work/out")"
done
finish
