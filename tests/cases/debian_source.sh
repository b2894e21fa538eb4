#!/bin/bash
# debian_source.sh PACKAGE -- the source of a Debian package, for cases that are built from it.
#
# It comes through apt, with lists of its own in build/debian; what is there is not fetched again. Prints the directory; nothing
# and a sentence on standard error when it cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 1
package=$1
dir=$PWD/build/debian

cannot() { echo "debian_source.sh: $*; the case is skipped" >&2; exit 1; }

fetch() {
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >>"$dir/status"
	echo "deb-src http://deb.debian.org/debian stable main" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
		Dir::State::lists "$dir/lists";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		Dir::Etc::sourcelist "$dir/sources.list";
		Dir::Etc::sourceparts "-";
		Acquire::Languages "none";
		APT::Sandbox::User "";
	END
	(export APT_CONFIG=$dir/apt.conf
	cd "$dir" && apt-get update -q >update.log 2>&1 && apt-get source -q --download-only "$package" >source.log 2>&1) ||
		cannot "Debian's source package $package cannot be fetched"
	rm -rf "$dir/new"
	mkdir -p "$dir/new" && tar -xf "$dir/$package"_*.orig.tar.[gx]z -C "$dir/new" --strip-components=1 &&
		mv "$dir/new" "$dir/$package" || cannot "the source of $package is not what was expected"
}

[ -d "$dir/$package" ] || fetch
echo "$dir/$package"
