#!/bin/bash
# spdx.sh COMPONENTS SOURCE ARCHIVE -- what a release consists of, as an SPDX 2.3 document: softpmu's source, the static
# executable, and what is linked into it (COMPONENTS, of static.sh; licences: licences.tsv). SOURCE_DATE_EPOCH dates it.
set -eu
here=$(dirname "$0")
components=$1 source=$2 archive=$3
file=$(basename "$source")
version=${file#softpmu-}
version=${version%.tar.gz}

# package ID NAME VERSION LICENCE [FILE]
package() {
	printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageVersion: %s\n' "$2" "$1" "$3"
	if [ $# = 5 ]; then
		printf 'PackageFileName: %s\nPackageChecksum: SHA256: %s\n' "$(basename "$5")" "$(sha256sum <"$5" | cut -d ' ' -f 1)"
	fi
	printf 'PackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\n'
	printf 'PackageLicenseConcluded: %s\nPackageLicenseDeclared: %s\nPackageCopyrightText: NOASSERTION\n' "$4" "$4"
}
cat <<END
SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: softpmu-$version
DocumentNamespace: urn:softpmu:$version:$(sha256sum <"$archive" | cut -c 1-16)
Creator: Organization: The softpmu authors
Created: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
END
package source softpmu "$version" MIT "$source"
package static "softpmu, static" "$version" MIT "$archive"
while read -r name its; do
	licence=$(awk -F '\t' -v name="$name" '$1 == name { print $2 }' "$here/licences.tsv")
	[ -n "$licence" ] || { echo "spdx.sh: packaging/licences.tsv has no licence of $name, which is linked in" >&2; exit 1; }
	package "$name" "$name" "$its" "$licence"
done <"$components"
printf '\nRelationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-source\nRelationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-static\n'
printf 'Relationship: SPDXRef-static GENERATED_FROM SPDXRef-source\n'
while read -r name its; do
	printf 'Relationship: SPDXRef-static STATIC_LINK SPDXRef-%s\n' "$name"
done <"$components"
cat <<'END'

LicenseID: LicenseRef-public-domain
LicenseName: Public domain
ExtractedText: <text>The files of liblzma and of SQLite are in the public domain.</text>
END
