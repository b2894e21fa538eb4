#!/bin/sh
# install.sh [--prefix DIR] [--from WHERE] [--no-signature] | --uninstall [--prefix DIR]
#
# Install softpmu, or upgrade it, from the directory or address of a release (WHERE; else where this file lies): its sum
# and its signature are checked, then its files go into DIR, ~/.local for a user and /usr/local for root. DIR/share/softpmu/
# installed lists them; --uninstall removes these files, and the directories that were made for them.
set -eu
key='@KEY@'
say() { echo "install.sh: $*" >&2; }
fail() { say "$*"; exit 1; }
usage() { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }

prefix='' from=$(dirname "$0") remove='' has_signature=yes
while [ $# -gt 0 ]; do
	case $1 in
	--prefix) [ $# -gt 1 ] || usage; prefix=$2; shift ;;
	--from) [ $# -gt 1 ] || usage; from=$2; shift ;;
	--no-signature) has_signature='' ;;
	--uninstall) remove=yes ;;
	*) usage ;;
	esac
	shift
done
if [ -z "$prefix" ]; then
	prefix=/usr/local
	[ "$(id -u)" = 0 ] || prefix=${HOME:?}/.local
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
list=$prefix/share/softpmu/installed

# The list has a letter in front: "f bin/softpmu", "d share/softpmu" (made for it).
forget() {
	sed -n 's/^f //p' "$1" | while read -r file; do
		grep -qxF "f $file" "${2:-/dev/null}" || rm -f "$prefix/$file"
	done
}
if [ -n "$remove" ]; then
	[ -f "$list" ] || fail "nothing to remove: $list is not there, so it was not installed from here into $prefix"
	forget "$list"
	dirs=$(sed -n 's/^d //p' "$list" | sort -r)
	rm -f "$list"
	for dir in $dirs; do
		where=$prefix/$dir
		rmdir "${where%/.}" 2>/dev/null || : # somebody else's files are in it
	done
	echo "softpmu is removed from $prefix"
	exit
fi

[ "$(uname -sm)" = "Linux x86_64" ] || fail "softpmu runs on Linux x86_64, and this is $(uname -sm)"
[ -f "$list" ] || [ ! -e "$prefix/bin/softpmu" ] ||
	fail "$prefix/bin/softpmu is there and did not come from install.sh; remove it (make uninstall, apt remove), or take another --prefix"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# get FILE: from the release into $work
get() {
	case $from in
	*://*)
		if command -v curl >/dev/null; then
			curl -fsSL -o "$work/$1" "$from/$1"
		else
			wget -q -O "$work/$1" "$from/$1"
		fi ;;
	*) cp "$from/$1" "$work/$1" ;;
	esac || fail "$from has no $1, or it cannot be fetched"
}
get SHA256SUMS
if [ -n "$has_signature" ]; then
	[ "$key" != "@KEY""@" ] || fail "this install.sh is of no signed release; --no-signature checks the sum alone"
	command -v openssl >/dev/null || fail "openssl is missing, which checks the signature; --no-signature checks the sum alone"
	get SHA256SUMS.sig
	printf '%s\n' "$key" >"$work/key"
	openssl dgst -sha256 -verify "$work/key" -signature "$work/SHA256SUMS.sig" "$work/SHA256SUMS" >/dev/null 2>&1 ||
		fail "the signature of SHA256SUMS is wrong; nothing was installed"
fi
archive=$(sed -n 's/^[0-9a-f]*  \(softpmu-[^ /]*-x86_64\.tar\.gz\)$/\1/p' "$work/SHA256SUMS")
[ -n "$archive" ] || fail "SHA256SUMS names no archive for x86_64"
get "$archive"
(cd "$work" && grep "  $archive\$" SHA256SUMS | sha256sum -c >/dev/null 2>&1) ||
	fail "the sum of $archive is not that of SHA256SUMS; nothing was installed"

root=$work/${archive%.tar.gz}
tar -xzf "$work/$archive" -C "$work"
rm -f "$root/README"
mkdir -p "$root/share/softpmu"
(cd "$root" && find . ! -type d | sed 's/^\.\//f /') | sort >"$work/new"
if [ ! -d "$prefix" ] || grep -qx 'd \.' "$list" 2>/dev/null; then
	echo 'd .' >>"$work/new"
fi
mkdir -p "$prefix" 2>/dev/null || :
[ -w "$prefix" ] || fail "$prefix cannot be written; try --prefix"
(cd "$root" && find . -mindepth 1 -type d | sed 's/^\.\///') | sort | while read -r dir; do
	if [ ! -d "$prefix/$dir" ] || grep -qxF "d $dir" "$list" 2>/dev/null; then
		echo "d $dir"
	fi
	mkdir -p "$prefix/$dir"
done >>"$work/new"
# A file is replaced as a whole, so that a softpmu that runs is not disturbed.
sed -n 's/^f //p' "$work/new" | while read -r file; do
	if ! cp -P "$root/$file" "$prefix/$file.new$$" || ! mv -f "$prefix/$file.new$$" "$prefix/$file"; then
		fail "$prefix/$file cannot be written"
	fi
done
if [ -f "$list" ]; then
	forget "$list" "$work/new"
	grep '^d ' "$list" >>"$work/new" || : # directories of the version before
	sort -u -o "$work/new" "$work/new"
fi
cp "$work/new" "$list"
echo "$("$prefix/bin/softpmu" --version) is installed in $prefix"
case :$PATH: in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not in your PATH: PATH=$prefix/bin:\$PATH" ;; esac
