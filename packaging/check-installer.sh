#!/bin/bash
# check-installer.sh ARCHIVE -- install.sh with a release of this archive: installs, runs, upgrades, removes; refuses a
# wrong sum, a wrong signature and another's softpmu. Part of `make check-install`; needs openssl and shellcheck.
set -u
archive=$(realpath "$1")
. "$(dirname "$0")/../tests/engine/lib.sh"
. packaging/common.sh
version=${version:?} work=${work:?}
shellcheck packaging/install.sh >"$work/out" && shellcheck -S warning packaging/*.sh >"$work/out" && ok || bad "shellcheck: $(cat "$work/out")"

# A release, as release.sh makes it; a second one of a later version, in which a file has another name.
openssl genrsa -out "$work/key" 3072 2>/dev/null || exit 1
release() {
	mkdir -p "$1" && cp "$2" "$1/" && (cd "$1" && sha256sum -- *.tar.gz >SHA256SUMS) && sign_release "$1" "$work/key"
}
name=$(basename "$archive" .tar.gz)
release "$work/one" "$archive" || exit 1
mkdir "$work/two" && tar -xzf "$archive" -C "$work/two" && mv "$work/two/$name" "$work/two/softpmu-9.9-x86_64" &&
	mv "$work/two/softpmu-9.9-x86_64/share/doc/softpmu/NEWS" "$work/two/softpmu-9.9-x86_64/share/doc/softpmu/CHANGES" &&
	pack "$work/two/softpmu-9.9-x86_64" "$work/softpmu-9.9-x86_64.tar.gz" && rm -rf "$work/two" || exit 1
release "$work/two" "$work/softpmu-9.9-x86_64.tar.gz" || exit 1

# says STATUS WORDS COMMAND...
says() {
	local want=$1 words=$2
	shift 2
	"$@" >"$work/out" 2>&1
	[ $? = "$want" ] && grep -qF -- "$words" "$work/out" && ok || bad "$*: $(cat "$work/out"), not: $words"
}
files() { (cd "$work/home" && find . | sort); }
mkdir -p "$work/home/.local/share/man"
export HOME=$work/home
there=$HOME/.local
as="--prefix $there"
for shell in sh "busybox sh"; do
	files >"$work/before"
	says 0 "softpmu $version is installed in $there" $shell "$work/one/install.sh" $as
	says 0 "input digest" "$there/bin/softpmu" stat -- true
	says 0 "is installed" $shell "$work/two/install.sh" $as
	[ -f "$there/share/doc/softpmu/CHANGES" ] && [ ! -e "$there/share/doc/softpmu/NEWS" ] && ok || bad "the upgrade leaves the old file"
	says 0 "is installed" $shell "$work/one/install.sh" $as
	[ ! -e "$there/share/doc/softpmu/CHANGES" ] && [ -f "$there/share/doc/softpmu/NEWS" ] && ok || bad "the way back leaves the new file"
	says 0 "softpmu is removed from $there" $shell "$work/one/install.sh" $as --uninstall
	left=$(files | diff "$work/before" -)
	[ -z "$left" ] && ok || bad "$shell: the removal leaves: $left"
	says 1 "nothing to remove" $shell "$work/one/install.sh" $as --uninstall
done
# A prefix that was not there is gone again.
"$work/one/install.sh" --prefix "$work/home/new" >/dev/null && "$work/one/install.sh" --prefix "$work/home/new" --uninstall >/dev/null
[ ! -e "$work/home/new" ] && ok || bad "a prefix that was made stays: $(find "$work/home/new" | head -n 3)"
# Where it goes when nobody says it: ~/.local of a user, /usr/local of root (here one that is in memory).
mkdir -p "$work/user" && chmod 755 "$work" && chmod -R a+rX "$work/one" && chown 65534:65534 "$work/user"
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work/user" TMPDIR="$work/user" "$@"; }
says 0 "is installed in $work/user/.local" as_user sh "$work/one/install.sh"
says 0 "input digest" as_user "$work/user/.local/bin/softpmu" stat -- true
says 0 "is removed from $work/user/.local" as_user sh "$work/one/install.sh" --uninstall
[ -z "$(ls -A "$work/user")" ] && ok || bad "a user's removal leaves: $(find "$work/user" | head -n 3)"
says 0 "is installed in /usr/local" unshare -m sh -c "mount -t tmpfs none /usr/local && sh '$work/one/install.sh' &&
	/usr/local/bin/softpmu --version && sh '$work/one/install.sh' --uninstall"
# By an address.
says 0 "is installed" "$work/one/install.sh" $as --from "file://$work/one"
says 0 "is removed" "$work/one/install.sh" $as --uninstall

mkdir -p "$there/bin" && echo mine >"$there/bin/softpmu"
says 1 "did not come from install.sh" "$work/one/install.sh" $as
[ "$(cat "$there/bin/softpmu")" = mine ] && ok || bad "another softpmu was replaced"
rm "$there/bin/softpmu"
files >"$work/before"
cp -r "$work/one" "$work/bad" && echo >>"$work/bad/$name.tar.gz"
says 1 "the sum of $name.tar.gz" "$work/bad/install.sh" $as
(cd "$work/bad" && sha256sum -- *.tar.gz >SHA256SUMS)
says 1 "the signature of SHA256SUMS is wrong" "$work/bad/install.sh" $as
says 1 "has no SHA256SUMS" "$work/one/install.sh" $as --from "$work/nothing"
says 1 "of no signed release" packaging/install.sh $as --from "$work/one"
[ -z "$(files | diff "$work/before" -)" ] && ok || bad "a refused archive leaves files"
finish
