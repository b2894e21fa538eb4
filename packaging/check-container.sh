#!/bin/bash
# check-container.sh PACKAGES [DOCKERFILE] -- packaging/Dockerfile without Docker: its instructions are done one by one in a bare Debian 12
# (debootstrap), then its command runs as a container's would: as its user, in that root, under the calls that the default profiles of
# Docker and Podman allow.
#
# PACKAGES is the directory of the packages (build/packages). Needs root and a Debian mirror (MIRROR); the bare Debian is that of
# check-install.sh (INSTALL_ROOT). Not done: namespaces, capabilities and cgroups of a container, the layers of an image.
set -u
cd "$(dirname "$0")/.." || exit 1
mirror=${MIRROR:-http://deb.debian.org/debian}
base=${INSTALL_ROOT:-$PWD/build/install/bookworm}
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }
end() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: packaging/check-container.sh PACKAGES [DOCKERFILE]" >&2; exit 2; }
context=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT

# from IMAGE: debian:12-slim is a minbase of debootstrap, whose dpkg leaves documents out
from() {
	[ "$1" = debian:12-slim ] || { bad "FROM $1: only debian:12-slim is known here"; end; }
	[ -x "$base/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/log" 2>&1 </dev/null ||
		{ tail "$work/log"; bad "debootstrap fails"; end; }
	cp -a --reflink=auto "$base" "$root"
	printf 'path-exclude /usr/share/%s/*\n' doc man locale info >"$root/etc/dpkg/dpkg.cfg.d/docker"
	mount -t proc proc "$root/proc" 2>/dev/null
}
inside() { chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
# words JSON: the array of an ENTRYPOINT or CMD, a line each
words() { sed 's/^\[ *"//; s/" *\]$//; s/" *, *"/\n/g' <<<"$1"; }

user=root entry=() command=()
while read -r instruction rest; do
	case $instruction in
	'' | '#'*) ;;
	FROM) from "$rest" && ok ;;
	COPY)
		read -ra part <<<"$rest"
		to=${part[-1]}
		unset 'part[-1]'
		for pattern in "${part[@]}"; do
			found=$(compgen -G "$context/$pattern")
			[ -n "$found" ] && xargs -d '\n' cp -t "$root/$to" <<<"$found" && ok || bad "COPY $pattern: $context has none"
		done ;;
	RUN) inside /bin/sh -c "$rest" >"$work/log" 2>&1 </dev/null && ok || { bad "RUN $rest: $(tail -n 5 "$work/log")"; end; } ;;
	USER) user=$rest && inside id "$user" >/dev/null && ok || bad "USER $rest: there is none" ;;
	ENTRYPOINT) mapfile -t entry < <(words "$rest") ;;
	CMD) mapfile -t command < <(words "$rest") ;;
	*) bad "$instruction: an instruction that this check does not know" ;;
	esac
done < <(sed -e ':again' -e '/\\$/{N;s/\\\n//;bagain}' "${2:-packaging/Dockerfile}")
[ ${#entry[@]} -gt 0 ] && ok || bad "there is no ENTRYPOINT"
left=$(find "$root/tmp" -name '*.deb'; find "$root/var/lib/apt/lists" -type f | head -n 3)
[ -z "$left" ] && ok || bad "the image keeps what it need not:" "$left"

gcc -O1 -static -o "$root/dockerlike" tests/engine/dockerlike.c || { bad "dockerlike is not built"; end; }
id=$(inside id -u "$user")
# contained ARG...: docker run IMAGE ARG..., in a directory that may be written
contained() { (inside /dockerlike -u "$id" -s -- /bin/sh -c 'cd /tmp && exec "$@"' - "${entry[@]}" "$@") 2>&1 </dev/null; }
got=$(contained "${command[@]}") && ok || bad "the image's own command: $got"
got=$(contained stat -- true)
grep -q 'input digest [0-9a-f]*$' <<<"$got" && ok || bad "stat -- true: $got"
got=$(contained stat -M cpi-stack -- true) && ok || bad "with clocks: $got"
got=$(contained record -q -e inst_retired -o x.rec -- /bin/ls / && contained report x.rec)
grep -q 'ld-linux\|libc.so\|ls' <<<"$got" && ok || bad "record and report: $got"
got=$(contained nonsense)
[ $? != 0 ] && ok || bad "a wrong command ends with 0: $got"
end
