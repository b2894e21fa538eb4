#!/bin/bash
# perf.sh -- make check-bare: Debian's perf inside of Debian's kernel, with the QEMU of `make bare`: a loop whose counts and samples are predicted.
. "$(dirname "$0")/../lib.sh"
. tests/bare/lib.sh

qemu=${SOFTPMU_QEMU:-${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386}
[ -x "$qemu" ] || { skip "perf in a machine: no QEMU with counters here; make bare builds it"; finish; }
root=$PWD/build/bare
image=$(apt-cache depends linux-image-686:i386 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ :]*\).*/\1/p' | head -n 1)
# What perf is linked with, and what that is linked with.
libraries="libc6 libbabeltrace1 libcap2 libdw1 libelf1 liblzma5 libnuma1 libopencsd1 libperl5.36 libpython3.11 libslang2 libunwind8 libzstd1
	zlib1g libglib2.0-0 libuuid1 libgcc-s1 libbz2-1.0 libstdc++6 libcrypt1 libexpat1 libpcre2-8-0 libaudit1 libcap-ng0"
tools/fetch-i386.sh "$root" ${image:-linux-image-6.1.0-50-686} busybox-static linux-perf $libraries 2>"$work/err" ||
	{ skip "Debian's kernel and perf: $(head -n 1 "$work/err")"; finish; }
kernel=$(ls "$root"/root/boot/vmlinuz-* | head -n 1)

# perf and its libraries alone: an initrd is copied by the machine, which counts.
init=$work/init
mkdir -p "$init"/{bin,lib,proc,sys,tmp}
cp "$root/root/bin/busybox" "$root/root/usr/bin/perf" "$init/bin/"
cp -L "$root/root/lib/ld-linux.so.2" "$init/lib/" 2>/dev/null || cp -L "$root/root/lib/i386-linux-gnu/ld-linux.so.2" "$init/lib/"
more=$init/bin/perf
while [ -n "$more" ]; do
	needed=$(readelf -d $more | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort -u)
	more=
	for name in $needed; do
		[ -e "$init/lib/$name" ] && continue
		cp -L "$(find "$root"/root/lib/i386-linux-gnu "$root"/root/usr/lib/i386-linux-gnu -maxdepth 1 -name "$name" | head -n 1)" "$init/lib/" &&
			more="$more $init/lib/$name" || bad "perf needs $name, which no package of the list has"
	done
done

# Each run has addresses of its own.
turns_program first 1000000 -Ttext 0x10000000 && turns_program second 10000000 -Ttext 0x20000000 && turns_program third 1000000 -Ttext 0x30000000 ||
	{ skip "perf in a machine: no assembler or linker for i386"; finish; }
cat >"$init/init" <<'X'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/perf stat -x, -e instructions:u,branches:u /bin/first 2>/dev/console
/bin/perf stat -x, -e r0c0:u,instructions:k /bin/second 2>/dev/console
/bin/perf record -q -c 50000 -e instructions:u -o /tmp/data /bin/third
/bin/perf script -i /tmp/data -F comm,ip,event
/bin/busybox poweroff -f
X
chmod +x "$init/init"
(cd "$init" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$work/initrd"

# The watchdog of NMI would take one of the two counters.
"$SOFTPMU" record -q -o "$work/rec" --qemu "$qemu" -e instructions:u,instructions:k,br_inst_retired:u --kernel "$kernel" --initrd "$work/initrd" \
	--append "console=ttyS0 quiet nowatchdog" --timeout 1500000 >"$work/console" 2>"$work/err" </dev/null && ok || bad "the boot: $(head -n 1 "$work/err")"
tr -d '\r' <"$work/console" | grep -a '[:,]' >"$work/said"

# inside EVENT NTH: the nth line of perf stat about it; the firmware's last line has no end
inside() { grep -ao "[0-9]*,,$1," "$work/said" | sed -n "${2}p" | cut -d, -f1; }
# A program's own rows in the record of the machine, from outside.
"$SOFTPMU" report --by address --json "$work/rec" 2>/dev/null | tr -d ' \n' | grep -o '"offset":[0-9]*,"counts":{[^}]*}' |
	sed 's/[^0-9:,]//g; s/,:*/ /g; s/://g' >"$work/rows"
# outside COLUMN ADDRESS: 1: instructions:u, 3: br_inst_retired:u
outside() { awk -v column=$1 -v from=$(($2)) '$1 >= from && $1 < from + 4096 { n += $(1 + column) } END { printf "%d\n", n }' "$work/rows"; }
# agrees TITLE PREDICTED INSIDE OUTSIDE
agrees() { [ "$2" = "$3" ] && [ "$2" = "$4" ] && ok || bad "$1: $2 predicted, $3 counted inside, $4 outside"; }
agrees "instructions:u" 4000004 "$(inside instructions:u 1)" "$(outside 1 0x10000000)"
agrees "branches:u" 1000001 "$(inside branches:u 1)" "$(outside 3 0x10000000)"
agrees "r0c0:u, ten times as long" 40000004 "$(inside r0c0:u 1)" "$(outside 1 0x20000000)"
[ "$(inside instructions:k 1)" -gt 0 ] 2>/dev/null && ok || bad "instructions:k: $(inside instructions:k 1)"
# A period of 50,000 in 4,000,004 instructions: 80 samples, all of them in the loop.
samples=$(grep -ac '^ *third .*instructions:u' "$work/said")
[ "$samples" = 80 ] && ok || bad "perf record: 80 samples predicted, $samples counted"
[ "$(grep -a '^ *third ' "$work/said" | grep -c '3000000[0-9a]$\|3000000[0-9a] ')" = 80 ] && ok ||
	bad "samples outside of the loop: $(grep -a '^ *third ' "$work/said" | grep -v '3000000' | head -n 2)"
finish
