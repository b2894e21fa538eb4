#!/bin/bash
# check-install.sh -- the packages as users meet them: built twice, installed, counted with, removed. `make check-install`.
#
# Needs root, debhelper, lintian, debootstrap and a Debian mirror (MIRROR); what is missing is a failure, not a
# skip. The bare Debian 12 is kept in build/install/bookworm (INSTALL_ROOT names another one).
set -u
cd "$(dirname "$0")/.." || exit 1
mirror=${MIRROR:-http://deb.debian.org/debian}
base=${INSTALL_ROOT:-$PWD/build/install/bookworm}
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
end() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT

# The same bytes from two directories.
packaging/packages.sh "$work/one" >"$work/list" || { bad "the packages do not build"; end; }
packaging/packages.sh "$work/two" >/dev/null || { bad "the packages do not build a second time"; end; }
[ "$(wc -l <"$work/list")" = 6 ] && ok || bad "six packages, two of them debug symbols, not: $(tr "\n" " " <"$work/list")"
for p in $(cat "$work/list"); do
	cmp -s "$work/one/$p" "$work/two/$p" && ok || bad "two builds of $p differ"
done

# Hardening flags reach every compilation and link but those of the freestanding runtime. (Not looked at: files of the
# assembler, the object in libsoftpmu.a, and that two tools of the build are compiled with -O1.)
soft=$(blhc --bindnow --ignore-line '.* [^ ]*src/guest/.*' --ignore-line '.*\.S' --ignore-line '.* -r -nostdlib .*' \
	"$work/one/build.log" 2>&1 | grep -v '^CFLAGS missing (-O2): .* -O1 -g .*/tools/')
[ -z "$soft" ] && ok || bad "blhc: $(echo "$soft" | cut -c1-200)"
blhc --bindnow "$work/one/build.log" | grep -q src/guest/ && ok || bad "blhc does not look at the build"

errors=$(lintian --allow-root --fail-on none "$work"/one/*.changes 2>&1)
lines=$(printf '%s\n' "$errors" | grep '^[EW]:')
[ -z "$lines" ] && ok || bad "lintian:" "$lines"

# A bare Debian 12, with nothing but what apt brings.
[ -x "$base/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/log" 2>&1 ||
	{ tail "$work/log"; bad "debootstrap fails"; end; }
cp -a --reflink=auto "$base" "$root"
mount -t proc proc "$root/proc" 2>/dev/null # dpkg's scripts like one; softpmu needs none
mkdir "$root/repo" && cp "$work"/one/* "$root/repo/"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
apt() { inside apt-get -q -y --no-install-recommends "$@" >"$work/log" 2>&1 || { tail -n 5 "$work/log"; false; }; }
files() { (cd "$root" && find . -path ./proc -prune -o -path ./repo -prune -o -path ./var -prune -o -print | sort); }
# Its libraries first, so that what is left at the end is softpmu's own.
apt update; apt install libjansson4 libzydis4.0 libzstd1 || bad "the libraries do not install"
files >"$work/before"

apt install "/repo/$(grep '^softpmu_' "$work/list")" && ok || bad "apt install ./softpmu_*.deb fails"
got=$(inside softpmu stat -- true 2>&1)
printf '%s\n' "$got" | grep -q 'input digest [0-9a-f]*$' && ok || bad "softpmu stat -- true: $got"
# As in a container: an unprivileged user, the calls that Docker's default profile allows.
gcc -O1 -static -o "$root/dockerlike" tests/engine/dockerlike.c || bad "dockerlike is not built"
got=$(inside /dockerlike -u 65534 -s -- softpmu stat -- true 2>&1)
printf '%s\n' "$got" | grep -q 'input digest [0-9a-f]*$' && ok || bad "stat under Docker's profile: $got"
rm "$root/dockerlike"
# Every package, by the flat repository.
echo 'deb [trusted=yes] file:/repo ./' >"$root/etc/apt/sources.list.d/softpmu.list"
apt update; apt install softpmu libsoftpmu0 libsoftpmu-dev softpmu-doc && ok || bad "the repository does not install"

# A newer version and back again.
version=$(inside dpkg-query -W -f '${Version}' softpmu)
dpkg-deb -R "$work/one/$(grep '^softpmu_' "$work/list")" "$work/newer"
sed -i "s/^Version: .*/Version: $version+1/" "$work/newer/DEBIAN/control"
dpkg-deb --root-owner-group -b "$work/newer" "$root/repo/newer.deb" >/dev/null
apt install /repo/newer.deb && ok || bad "the upgrade fails"
apt install --allow-downgrades "softpmu=$version" && ok || bad "the downgrade fails"
inside softpmu stat -- true 2>&1 | grep -q 'input digest' && ok || bad "stat after the downgrade"

apt purge softpmu libsoftpmu0 libsoftpmu-dev softpmu-doc || bad "the removal fails"
rm "$root/etc/apt/sources.list.d/softpmu.list"
left=$(files | diff "$work/before" - | head -n 5)
[ -z "$left" ] && ok || bad "the removal leaves:" "$left"
end
