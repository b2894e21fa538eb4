#!/bin/bash
# run.sh -- softpmu bare: boot sectors whose counts are predicted, in every mode; what ends a machine; bad input.
. "$(dirname "$0")/../lib.sh"

command -v qemu-system-i386 >/dev/null || { skip "softpmu bare: there is no qemu-system-i386"; finish; }
ld -V 2>/dev/null | grep -q elf_i386 || { skip "softpmu bare: the linker knows no i386 code"; finish; }

# bare OPTIONS...: counts into $work/out, the console into $work/console
bare() { timeout 60 "$SOFTPMU" bare -q -x, "$@" >"$work/console" 2>"$work/out" </dev/null; }
# value EVENT
value() { sed -n "s/^\([0-9]*\),,$1,.*/\1/p" "$work/out"; }
# counts TITLE 'EVENT=N ...' OPTIONS...
counts() {
	local title=$1 wanted=$2 one events
	shift 2
	events=$(sed 's/=[0-9]*//g; s/ /,/g' <<<"$wanted")
	bare -e "$events" "$@" || { bad "$title: status $?: $(head -n 1 "$work/out")"; return; }
	for one in $wanted; do
		[ "$(value "${one%=*}")" = "${one#*=}" ] && ok || bad "$title: $one predicted, counted $(value "${one%=*}")"
	done
}
# says TITLE STATUS TEXT OPTIONS...: fails with one sentence
says() {
	local title=$1 status=$2 text=$3 rc
	shift 3
	bare "$@"
	rc=$?
	[ $rc = "$status" ] && grep -q "$text" "$work/out" && ok || bad "$title: status $rc: $(head -n 2 "$work/out")"
}

# A loop of 4 instructions, 1000 times, one before it and one behind it.
loop='mov ecx, 1000; l: push eax; pop ebx; dec ecx; jnz l; nop'
for mode in real v86 protected16 protected32 ring3; do
	in_turn || [ $mode = protected32 ] || continue
	counts "$mode" "instructions=4002 br_inst_retired=1000 br_taken_retired=999 data_mem_refs=2000" --mode $mode --code "$loop"
done
# Each REP is one instruction, however often it turns; 100 bytes up and 100 down are 200 writes, or fewer where lines are.
counts "REP" "instructions=12 br_inst_retired=0" --code 'std; mov cx, 100; mov di, 0x9100; rep stosb; mov cx, 0; rep stosb; cld
	mov cx, 50; mov si, 0x9000; mov di, 0x9400; repe cmpsb; nop'
# The divide faults and does not count; the handler goes on behind it.
counts "a fault" "instructions=11" --code 'mov word ptr [0], offset h; mov word ptr [2], 0; xor dx, dx; xor bx, bx; div bx; nop
	jmp e; h: pop ax; add ax, 2; push ax; iret; e: nop'
counts "INT" "instructions=5" --code 'mov word ptr [0x180], offset h; mov word ptr [0x182], 0; int 0x60; jmp e; h: iret; e:'
# QEMU begins these stretches twice: it reaches a device from the end of a stretch only.
counts "a device's memory" "instructions=6 data_mem_refs=2" --mode protected32 \
	--code 'nop; mov eax, [0xfee00030]; inc ebx; mov ecx, [0xfee00030]; add ebx, ecx; nop'
counts "ports" "instructions=7 data_mem_refs=0" --mode protected32 \
	--code 'nop; out 0x80, al; inc ebx; in al, 0x61; add ebx, ecx; nop; nop'
# QEMU takes back an instruction that is the first to leave a page, and begins anew with it: it counts once, and so does what is in front of it.
over='mov ecx, 1000; jmp l; .org 0x13fa; l: nop; nop; nop; nop; nop; mov eax, 0x12345678; dec ecx; jnz l'
counts "over the end of a page, 16 bits" "instructions=8002" --code "$over"
counts "over the end of a page, 32 bits" "instructions=8002" --mode protected32 --code "$over"
counts "an operand over the end of a page" "instructions=8002 data_mem_refs=1000" --mode protected32 --code "${over/mov eax, 0x12345678/mov eax, [0x6000]}"
counts "up to the end of a page" "instructions=8002" --mode protected32 --code "${over/nop; nop; mov eax, 0x12345678/mov al, 1; inc eax; nop}"
# The same where nothing behind the device's instruction can stop.
counts "a device's memory, then nothing" "instructions=5 data_mem_refs=1" --mode protected32 \
	--code 'nop; mov eax, [0xfee00030]; inc ebx; inc ebx; inc ebx'
counts "ports as events" "bus_trans_io=100 instructions=201" --mode protected32 \
	--code 'mov ecx, 50; l: out 0x80, al; in al, 0x61; dec ecx; jnz l'
counts "ports as events of a Pentium" "r1d=100 instructions=201" --cpu pentium --mode protected32 \
	--code 'mov ecx, 50; l: out 0x80, al; in al, 0x61; dec ecx; jnz l'
counts "the console" "instructions=5" --code 'mov dx, 0x3f8; mov al, 65; out dx, al; mov al, 66; out dx, al'
grep -aq 'AB$' "$work/console" && ok || bad "the console shows $(tail -c 20 "$work/console")"
counts "--until" "instructions=3" --until A --code 'mov dx, 0x3f8; mov al, 65; out dx, al; mov al, 66; out dx, al'
# Ends: HLT with interrupts off, a triple fault.
counts "HLT" "instructions=3" --code 'nop; nop; hlt'
counts "a triple fault" "instructions=3" --mode protected32 --code 'mov dword ptr [0x9000], 0; lidt [0x9000]; int3'
# Clocks and the Pentium.
counts "a Pentium" "instructions=4002" --cpu pentium --code "$loop"
for _ in 1 2; do
	bare -e cycles,instructions --code "$loop"
	value cycles
done >"$work/clocks"
[ "$(sort -u "$work/clocks" | grep -c '[0-9]')" = 1 ] && ok || bad "clocks of two runs: $(tr '\n' ' ' <"$work/clocks")"
# A disk that is given, whole: the boot sector itself, a HLT, counts.
{
	printf '\372\220\364'
	head -c 507 /dev/zero
	printf '\125\252'
} >"$work/disk"
counts "--image" "instructions=3" --image "$work/disk"

timeout 60 "$SOFTPMU" check --mode protected32 --code "$loop" >"$work/out" 2>&1 </dev/null
grep -q ' 0 identities broken' "$work/out" && ok || bad "check: $(tail -n 2 "$work/out" | head -n 1)"
bare --qemu qemu-system-i386 -e instructions:k --code nop
grep -q '^<not modelled>,,instructions:k' "$work/out" && ok || bad "modes without Linux: $(head -n 1 "$work/out")"

# What the stream does not say is no 0, in no column either.
timeout 60 "$SOFTPMU" bare -q --cpu pentium3,pentium2 -e fp_assist --code nop >/dev/null 2>"$work/out" </dev/null
[ "$(grep -o '<not modelled>' "$work/out" | wc -l)" = 2 ] && ok || bad "assists in columns: $(tail -n 3 "$work/out" | tr '\n' '|')"

# Bad input.
head -c 512 /dev/zero >"$work/empty"
says "a disk that does not start" 125 "came to address 7C00H, .*does not start what" --timeout 4000 -e instructions --image "$work/empty"
says "no such kernel" 125 "kernel $work/none" --kernel "$work/none"
says "a directory as kernel" 125 "a directory, where" --kernel "$work"
says "a kernel that is none" 125 "no Linux kernel for PCs" --kernel "$work/disk"
# A set-up header of version 2.15 that says that 64 bits are entered.
{
	head -c $((0x202)) /dev/zero
	printf 'HdrS\017\002'
	head -c $((0x2e)) /dev/zero
	printf '\001'
	head -c 100 /dev/zero
} >"$work/wide"
says "a kernel of 64 bits" 125 "kernel for x86-64" --kernel "$work/wide"
says "no QEMU" 125 "install Debian's package qemu-system-x86" --qemu "$work/none" --code nop
says "a timeout before the start" 125 "timeout was over before the machine came to address 8000H" --timeout 1 --code nop
# On a busy machine four seconds may not be enough to come to the code.
limit=4000
"$SOFTPMU" bare -q -e instructions --timeout $limit --code nop 2>&1 </dev/null | grep -q 'needs more time' && limit=60000
says "a hang" 143 "instructions" --timeout $limit -e instructions --code 'l: jmp l'
# Nobody reads the console any more: what was counted up to then is shown.
timeout 60 "$SOFTPMU" bare -q -x, -e instructions --code 'l: mov dx, 0x3f8; mov al, 65; out dx, al; jmp l' 2>"$work/out" </dev/null |
	while read -rN 1 one && [ "$one" != A ]; do :; done
[ "${PIPESTATUS[0]}" = 141 ] && grep -q 'SIGPIPE ended the run early' "$work/out" && [ "$(value instructions)" -gt 0 ] && ok ||
	bad "the console's reader ends: $(head -n 1 "$work/out")"
says "bad code" 125 "no such instruction" --code 'frobnicate'
says "more memory than there is a number for" 125 "from 4 to 2047" --memory 4294967300 --code nop
says "two of them" 125 "one of --kernel, --image and --code" --code nop --image x
says "a program" 125 "runs no program" --code nop -- ls
says "--clock" 125 "clock" --clock model --code nop
cat >"$work/old" <<'X'
#!/bin/sh
echo "qemu: -plugin: invalid option" >&2
exit 1
X
cat >"$work/killed" <<'X'
#!/bin/sh
(sleep 1.5; kill -9 $$) &
exec qemu-system-i386 "$@"
X
chmod +x "$work/old" "$work/killed"
says "a QEMU without plugins" 125 "built without plugins" --qemu "$work/old" --code nop
says "QEMU killed" 125 "ended by signal 9" --qemu "$work/killed" -e instructions --code 'l: jmp l'
# A QEMU of another interface, which loads the plugin as QEMU does.
cat >"$work/other.c" <<'X'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
struct info { const char *target; int least, now; _Bool is_system; int cpus, most; };
int main(int argc, char **argv)
{
	struct info info = {"i386", 2, 3, 1, 1, 1};
	char path[4096], *args[2], *comma;
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "-plugin"))
			snprintf(path, sizeof(path), "%s", argv[i + 1]);
	comma = strchr(path, ',');
	*comma = 0;
	args[0] = comma + 1;
	args[1] = strchr(args[0], ',') + 1;
	args[1][-1] = 0;
	void *plugin = dlopen(path, RTLD_LAZY);
	int (*install)(unsigned long, void *, int, char **) = plugin ? dlsym(plugin, "qemu_plugin_install") : 0;
	return install ? install(1, &info, 2, args) != 0 : 9;
}
X
gcc -o "$work/other" "$work/other.c" -ldl &&
	says "another interface" 125 "serves versions 2 to 3" --qemu "$work/other" --code nop
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'softpmu-??????' -newer "$work/disk" 2>/dev/null)" ] && ok || bad "files are left in ${TMPDIR:-/tmp}"
finish
