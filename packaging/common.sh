# shellcheck shell=bash disable=SC2034
# common.sh -- what packages.sh, static.sh and release.sh share. Sourced in the root of the tree.

# The version, and the date of everything that is built of it: that of the first entry of debian/changelog.
version=$(sed -n 's/.*SPMU_VERSION "\(.*\)".*/\1/p' src/base/version.h)
SOURCE_DATE_EPOCH=$(date -d "$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)" +%s)
export SOURCE_DATE_EPOCH

# copy_tree TO: the files of this tree that belong to it, without what was built
copy_tree() {
	mkdir -p "$1"
	git ls-files -z -co --exclude-standard | tar --null --files-from=- -cf - | tar -xf - -C "$1"
}

# alone COMMAND...: without network, and without what a make above told its children
alone() {
	if unshare -n true 2>/dev/null; then
		unshare -n env -u MAKEFLAGS -u MAKELEVEL "$@"
	else
		echo "no network namespace can be made here; building without one" >&2
		env -u MAKEFLAGS -u MAKELEVEL "$@"
	fi
}

# pack DIRECTORY ARCHIVE.tar.gz: the same bytes for the same files
pack() {
	tar -C "$(dirname "$1")" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+w \
		--mtime="@$SOURCE_DATE_EPOCH" -cf - "$(basename "$1")" | gzip -9n >"$2"
}

# sign_release DIRECTORY KEY: SHA256SUMS.sig, and install.sh with the public part of this private key (PEM, RSA). The
# signature is of the kind that is the same every time.
sign_release() {
	openssl dgst -sha256 -sign "$2" -out "$1/SHA256SUMS.sig" "$1/SHA256SUMS" || return 1
	openssl pkey -in "$2" -pubout >"$1/softpmu-release.pem" || return 1
	awk 'FNR == NR { key = key (FNR > 1 ? "\n" : "") $0; next } { sub(/@KEY@/, key); print }' "$1/softpmu-release.pem" \
		packaging/install.sh >"$1/install.sh"
	chmod 755 "$1/install.sh"
}
