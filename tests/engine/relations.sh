#!/bin/bash
# relations.sh -- softpmu check on programs of every sort: no identity of the catalog is broken, on any
# processor, under any setting that changes what the caches do.
. "$(dirname "$0")/lib.sh"

bare "$work/prog" "$src/static_prog.c" || exit 1
seq 1 1500 | awk '{ print $1 * 7919 % 10007, "text" }' >"$work/text"
cd "$work" || exit 1

# holds OPTIONS... -- PROGRAM...
holds() {
	timeout 900 "$SOFTPMU" check "$@" >"$work/out" 2>"$work/err" </dev/null
	local rc=$?
	if [ $rc = 0 ] && grep -q '0 identities broken' "$work/err" "$work/out"; then
		ok
	else
		bad "check $*: status $rc: $(grep -hiE 'broken|violat|softpmu:' "$work/err" | head -n 2 | tr '\n' '|')"
	fi
}

for w in sort interp strings calls x87 sse crc; do
	holds -- "$work/prog" $w
done
for cpu in pentiumpro pentium2 pentium3 pentium3-coppermine celeron-covington celeron-mendocino; do
	holds --cpu $cpu -- "$work/prog" sort 60
	holds --cpu $cpu -- gzip -c text
done
for cpu in pentium pentium-mmx; do
	holds --cpu $cpu -- "$work/prog" sort 60
	holds --cpu $cpu -- gzip -c text
done
holds --replace lru -- gzip -c text
holds --phys random:3 -- gzip -c text
holds --walks off -- gzip -c text
holds --l1d 4K:2:32 --l1i 4K:2:32 --l2 32K:4:32 --dtlb 16:4 -- gzip -c text
holds -- sqlite3 -batch :memory: "create table t(a, b); insert into t values (1, 'x'), (2, 'y'); select sum(a) from t;"
holds -- lua5.4 -e 'local t = {} for i = 1, 2000 do t[i] = i * 7 % 101 end table.sort(t) print(t[7])'
holds -- perl -e '$h{$_ % 7} += $_ for 1 .. 1000; print join(",", map { $h{$_} } sort keys %h)'
holds -- sort -n text
if [ "$CHECK_LEVEL" = all ]; then
	holds -- python3 -I -c 'print(sum(i * i % 7 for i in range(20000)))'
	holds -- bzip2 -c text
	holds -- xz -T1 -c text
	holds -- dc -e '40 k 2 v p'
	holds -- openssl dgst -sha256 text
	holds -- busybox sha512sum text
	holds -- "$($CC -print-prog-name=cc1)" -quiet -O2 -o /dev/null "$src/static_prog.c" -I"$src"
fi
finish
