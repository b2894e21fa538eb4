#!/bin/bash
# linux.sh -- make check-bare: Debian's i386 kernel with an initrd of busybox's, counted by softpmu bare: twice the same, and identities hold.
. "$(dirname "$0")/../lib.sh"
. tests/bare/lib.sh

command -v qemu-system-i386 >/dev/null || { skip "softpmu bare: there is no qemu-system-i386"; finish; }
root=$PWD/build/bare
image=$(apt-cache depends linux-image-686:i386 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ :]*\).*/\1/p' | head -n 1)
tools/fetch-i386.sh "$root" ${image:-linux-image-6.1.0-50-686} busybox-static 2>"$work/err" ||
	{ skip "Debian's kernel: $(head -n 1 "$work/err")"; finish; }
kernel=$(ls "$root"/root/boot/vmlinuz-* | head -n 1)

mkdir -p "$work/init/bin" "$work/init/proc"
cp "$root/root/bin/busybox" "$work/init/bin/"
# A program that counts and samples its own loop, where a compiler of 32-bit code is.
client=/bin/client
gcc -m32 -O1 -ffreestanding -fno-stack-protector -fno-pic -no-pie -nostdlib -static -mno-sse -march=i686 -o "$work/init$client" tests/bare/client.c 2>"$work/err" ||
	{ skip "a client of the machine's counters: gcc -m32 builds none"; client=; }
cat >"$work/init/init" <<X
#!/bin/busybox sh
$client
/bin/busybox mount -t proc proc /proc
/bin/busybox cat /proc/interrupts
/bin/busybox poweroff -f
X
chmod +x "$work/init/init"
(cd "$work/init" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -n >"$work/initrd.gz"

# boot NUMBER OPTIONS...: with norandmaps, because an access of a stack that lies elsewhere may be cut by a line's end, and counts twice then.
boot() {
	local n=$1
	shift
	"$SOFTPMU" bare -q "$@" --kernel "$kernel" --initrd "$work/initrd.gz" --append 'console=ttyS0 norandmaps' --timeout 1500000 >"$work/console$n" 2>"$work/err$n" </dev/null
}
# With the QEMU of `make bare` the kernel finds the modelled processor's counters. It measures the time-stamp counter for a second by a timer that ticks
# more slowly, and cuts what is below a kHz off, so that 449.9999 MHz are 449.999.
with_counters=${SOFTPMU_QEMU_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/softpmu/qemu}/qemu-system-i386
if [ -x "$with_counters" ]; then
	boot 0 --qemu "$with_counters" -e instructions:u,instructions:k -x, -o "$work/0.csv"
	grep -aq 'Performance Events: p6 PMU driver' "$work/console0" && ok || bad "the kernel finds no counters: $(grep -a Performance "$work/console0")"
	grep -aqE 'tsc: Refined TSC clocksource calibration: (449\.999|450\.000) MHz' "$work/console0" && ok || bad "the time-stamp counter: $(grep -a 'tsc:' "$work/console0" | tail -n 1)"
	[ -z "$client" ] || { grep -aq '^client: .*, 80 samples, 80 in the loop' "$work/console0" && ok ||
		bad "80 samples predicted, $(grep -a '^client' "$work/console0")"; }
else
	skip "a kernel that finds its counters: make bare builds the QEMU for it"
fi
boot 1 --all --tier 2 --json -o "$work/1.json" && boot 2 --all --tier 2 --json -o "$work/2.json" && ok || bad "boot: $(head -n 1 "$work/err1")"
grep -aq 'reboot: Power down' "$work/console1" && ok || bad "the console ends with $(tail -c 80 "$work/console1")"
cmp -s "$work/console1" "$work/console2" && ok || bad "the consoles of two boots differ"
for n in 1 2; do
	grep -oE '"name": "[^"]*"|"value": [0-9.]+' "$work/$n.json" >"$work/numbers$n"
done
[ "$(wc -l <"$work/numbers1")" -gt 100 ] && cmp -s "$work/numbers1" "$work/numbers2" && ok ||
	bad "two boots: $(diff "$work/numbers1" "$work/numbers2" | head -n 4 | tr '\n' ' ')"

# Two boots with a program of so many loops: what its turns counted is user mode's, to the digit, and check holds.
# program TURNS: an initrd that runs it
program() {
	turns_program prog "$1" &&
		sed -i 's,.*interrupts.*,/bin/prog,' "$work/init/init" &&
		(cd "$work/init" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) | gzip -n >"$work/initrd.gz"
}
events=instructions:u,br_inst_retired:u,data_mem_refs:u,instructions:k,instructions
for turns in 1000000 3000000; do
	program $turns && boot $turns -x, -e $events -o "$work/$turns.csv" && ok || bad "a boot with $turns turns: $(head -n 1 "$work/err$turns")"
done
# grew EVENT: from the one to the other
grew() { echo $(($(grep ",$1," "$work/3000000.csv" | cut -d, -f1) - $(grep ",$1," "$work/1000000.csv" | cut -d, -f1))); }
for one in instructions:u=8000000 br_inst_retired:u=2000000 data_mem_refs:u=4000000; do
	[ "$(grew "${one%=*}")" = "${one#*=}" ] && ok || bad "2,000,000 turns more: $one predicted, $(grew "${one%=*}") counted"
done
"$SOFTPMU" check --all --tier 2 --kernel "$kernel" --initrd "$work/initrd.gz" >"$work/check" 2>&1 </dev/null
grep -q ' 0 identities broken' "$work/check" && ok || bad "check: $(tail -n 2 "$work/check" | head -n 1)"
finish
