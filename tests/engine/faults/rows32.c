/* rows32.c -- the table of faults of 32-bit code. Argument "model": see bench.h. */
#include "bench.h"

static void near_transfers(void)
{
	static const struct {
		const char *name;
		uintptr_t to;
	} target[] = {
	    {"absent", ABSENT},
	    {"odd absent", ABSENT + 7},
	    {"no rights", NONE + 5},
	    {"not executable", RW + 0x400},
	    {"behind the file", EOF_AT + PAGE + 3},
	    {"behind the shared file", EOF_SH + PAGE},
	    {"page 0", 0x10},
	    {"top", 0xfffffff0},
	};
	char name[100];

	for (unsigned i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
		const uintptr_t to = target[i].to;

#define NEAR(how, code, ...)                                                                       \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", how, target[i].name);                        \
		ROW(name, code, .retired = 1, __VA_ARGS__);                                        \
	} while (0)
		NEAR("jmp eax", "\xff\xe0", .ax = to);
		NEAR("jmp [ebx]", "\xff\x23", .word = {to});
		NEAR("call eax", "\xff\xd0", .ax = to);
		NEAR("call [ebx]", "\xff\x13", .word = {to});
		NEAR("ret", "\xc3", .push = {to});
		NEAR("ret 24", "\xc2\x18\x00", .push = {to});
		NEAR("push, ret", "", .code = "\x50\xc3", .bytes = 2, .at = 1, .ax = to,
		     .retired = 2);
#undef NEAR
	}
	ROW("jmp ax", "\x66\xff\xe0", .ax = 0x50050008, .retired = 1);
	ROW("call ax", "\x66\xff\xd0", .ax = 0x50050008, .retired = 1);
	ROW("ret with 16 bits", "\x66\xc3", .push = {0x50050008}, .retired = 1);
	ROW("jmp rel16", "\x66\xe9\x10\x00", .retired = 1);
	ROW("call rel16", "\x66\xe8\x10\x00", .retired = 1);
	ROW("call eax, stack absent", "\xff\xd0", .ax = RW, .sp = ABSENT + 0x800);
	ROW("call eax, stack read-only", "\xff\xd0", .ax = RW, .sp = RO + 0x800);
	ROW("call eax, stack across", "\xff\xd0", .ax = RW, .sp = STACK + 2);
	ROW("call [ebx], stack absent", "\xff\x13", .word = {RW}, .sp = ABSENT + 0x800);
	ROW("call [ebx] absent", "\xff\x13", .bx = ABSENT + 8);
	ROW("jmp [ebx] no rights", "\xff\x23", .bx = NONE + 8);
	ROW("call rel32, stack absent", "\xe8\x00\x00\x00\x00", .sp = ABSENT + 0x800);
	ROW("call rel32, no rights", "\xe8\x00\x00\x00\x00", .sp = NONE + 0x800);
	ROW("ret, stack absent", "\xc3", .sp = ABSENT + 0x800);
	ROW("ret, stack across", "\xc3", .sp = RW + 2 * PAGE - 2);
	ROW("ret 8, stack no rights", "\xc2\x08\x00", .sp = NONE + 0x800);
}

static void direct_transfers(void)
{
	/* from page 0 of the row to the next one, 16 bytes into it */
	static const char *const how[] = {"code", "absent", "no rights", "not executable",
					  "behind the file"};
	char name[100];

	for (enum next n = NEXT_ABSENT; n <= NEXT_EOF; n++) {
#define NEXT(text, code, ...)                                                                      \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", text, how[n]);                               \
		ROW(name, code, .next = n, __VA_ARGS__);                                           \
	} while (0)
		NEXT("jmp rel8", "\xeb\x10", .end = 2, .retired = 1);
		NEXT("jmp rel32", "\xe9\x10\x00\x00\x00", .end = 5, .retired = 1);
		NEXT("call rel32", "\xe8\x10\x00\x00\x00", .end = 5, .retired = 1);
		NEXT("jz taken", "\x38\xc0\x74\x10", .end = 4, .at = 2, .retired = 2);
		NEXT("jz near taken", "\x38\xc0\x0f\x84\x10\x00\x00\x00", .end = 8, .at = 2,
		     .retired = 2);
		NEXT("jz not taken", "\x38\xd8\x74\xf0", .end = 4, .at = 2, .retired = 2);
		NEXT("loop taken", "\xe2\x10", .end = 2, .retired = 1, .cx = 5);
		NEXT("loop not taken", "\xe2\xf0", .end = 2, .retired = 1, .cx = 1);
		NEXT("loope taken", "\x38\xc0\xe1\x10", .end = 4, .retired = 2, .cx = 5);
		NEXT("loopne taken", "\x38\xd8\xe0\x10", .end = 4, .retired = 2, .cx = 5);
		NEXT("addr16 loop taken", "\x67\xe2\x10", .end = 3, .retired = 1, .cx = 0x50005);
		NEXT("jecxz taken", "\xe3\x10", .end = 2, .retired = 1, .cx = ZERO);
		NEXT("jcxz taken", "\x67\xe3\x10", .end = 3, .retired = 1, .cx = 0x10000);
		NEXT("fall", "\x01\xd8", .end = 2, .retired = 1);
		NEXT("fall behind a store", "\x89\x03", .end = 2, .retired = 1);
		NEXT("fall behind a push", "\x50", .end = 1, .retired = 1);
		NEXT("fall behind int 80", "\xcd\x80", .end = 2, .retired = 1, .ax = 24);
		NEXT("fall behind cpuid", "\x0f\xa2", .end = 2, .retired = 1, .ax = 0x60000000,
		     .cx = ZERO, .no_regs = 1);
		NEXT("across, mov imm32", "\xb8\x01\x02\x03\x04", .end = 3);
		NEXT("across, behind one", "\x90\xb8\x01\x02\x03\x04", .end = 3, .at = 1,
		     .retired = 1);
		NEXT("across, load", "\x8b\x83\x00\x00\x00\x00", .end = 3);
		NEXT("across, call", "\xe8\x00\x00\x00\x00", .end = 2);
		NEXT("across, ret imm", "\xc2\x08\x00", .end = 2);
		NEXT("across, int 80", "\xcd\x80", .end = 1);
		NEXT("across, prefixes", "\x66\x66\x66\x90", .end = 3);
		NEXT("across, ljmp", "\xea\x00\x00\x00\x50\x23\x00", .end = 3);
		NEXT("ud2 at the end", "\x0f\x0b", .end = 2);
		NEXT("hlt at the end", "\xf4", .end = 1);
		NEXT("int3 at the end", "\xcc", .end = 1, .retired = 1);
		NEXT("14 prefixes at the end",
		     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", .end = 14);
		NEXT("15 prefixes at the end",
		     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", .end = 15);
#undef NEXT
	}
}

static void far_transfers(void)
{
	static const uintptr_t target[] = {ABSENT + 4, RW, NONE, EOF_AT + PAGE};
	static const uintptr_t bad[] = {0,    1,    3,	  0x2b, 0x28,	0x10,
					0x18, 0x1b, 0x63, 0x77, 0x7ff3, 0x7ff7};
	char name[100], code[8];

	for (unsigned i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
		const uintptr_t to = target[i];

#define TO(how, code, ...)                                                                         \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %lx", how, (unsigned long)to);                    \
		ROW(name, code, .retired = 1, __VA_ARGS__);                                        \
	} while (0)
		TO("lret", "\xcb", .push = {to, 0x23});
		TO("lret 16", "\xca\x10\x00", .push = {to, 0x23});
		TO("iret", "\xcf", .push = {to, 0x23, 0x202});
		TO("ljmp [ebx]", "\xff\x2b", .word = {to, 0x23});
		TO("lcall [ebx]", "\xff\x1b", .word = {to, 0x23});
		memcpy(code, "\xea", 1), memcpy(code + 1, &to, 4), memcpy(code + 5, "\x23", 2);
		TO("ljmp", "", .code = code, .bytes = 7);
		code[0] = (char)0x9a;
		TO("lcall", "", .code = code, .bytes = 7);
#undef TO
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const uintptr_t s = bad[i];

#define BAD(how, code, ...)                                                                        \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %lx", how, (unsigned long)s);                     \
		ROW(name, code, __VA_ARGS__);                                                      \
	} while (0)
		BAD("lret selector", "\xcb", .push = {RW, s});
		BAD("iret selector", "\xcf", .push = {RW, s, 0x202});
		BAD("ljmp selector", "\xff\x2b", .word = {RW, s});
		BAD("lcall selector", "\xff\x1b", .word = {RW, s});
		memcpy(code, "\xea\x00\x00\x00\x50", 5), memcpy(code + 5, &s, 2);
		BAD("ljmp direct selector", "", .code = code, .bytes = 7);
#undef BAD
	}
	ROW("lret, stack absent", "\xcb", .sp = ABSENT + 8,
	    .intel = "signal 11 vector 14 error 4 code 1 address 50050008 cr2 50050008 at code+0 "
		     "sp+0 RF");
	ROW("lret, stack across", "\xcb", .sp = RW + 2 * PAGE - 4);
	ROW("iret, stack absent", "\xcf", .sp = ABSENT + 8,
	    .intel = "signal 11 vector 14 error 4 code 1 address 50050008 cr2 50050008 at code+0 "
		     "sp+0 RF");
	ROW("iret, stack no rights", "\xcf", .sp = NONE + 8,
	    .intel = "signal 11 vector 14 error 4 code 2 address 50020008 cr2 50020008 at code+0 "
		     "sp+0 RF");
	ROW("iret, stack across", "\xcf", .sp = RW + 2 * PAGE - 8);
	ROW("ljmp [ebx] absent", "\xff\x2b", .bx = ABSENT);
	ROW("lcall [ebx], stack absent", "\xff\x1b", .word = {RW, 0x23}, .sp = ABSENT + 64);
}

static void memory(void)
{
	static const struct {
		const char *name;
		uintptr_t at;
	} place[] = {
	    {"absent", ABSENT + 8},
	    {"no rights", NONE + 8},
	    {"read-only", RO + 8},
	    {"behind the file", EOF_AT + PAGE + 8},
	    {"behind the shared file", EOF_SH + PAGE + 16},
	    {"across", RW + 2 * PAGE - 1},
	    {"page 0", 8},
	    {"top", 0xffffff80},
	};
	char name[100];

	for (unsigned i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		const uintptr_t at = place[i].at;

#define AT(how, code, ...)                                                                         \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", how, place[i].name);                         \
		ROW(name, code, __VA_ARGS__);                                                      \
	} while (0)
#define FITS (at == RW + 2 * PAGE - 1 ? 2 : 0) /* a byte there can be accessed: INT3 is next */
		if (at != RO + 8) {	       /* loads, which a page without writing allows */
			AT("mov ecx, [eax]", "\x8b\x08", .ax = at);
			AT("mov ecx, [ebp]", "\x8b\x4d\x00", .bp = at);
			AT("mov ecx, [esp]", "\x8b\x0c\x24", .sp = at);
			AT("mov ecx, [eax+esi*8]", "\x8b\x0c\xf0", .ax = at - 0x800, .si = 0x100);
			AT("mov ecx, ds:[ebp]", "\x3e\x8b\x4d\x00", .bp = at);
			AT("mov ecx, es:[eax]", "\x26\x8b\x08", .ax = at);
			AT("mov ecx, cs:[eax]", "\x2e\x8b\x08", .ax = at);
			AT("add ecx, [eax]", "\x03\x08", .ax = at);
			AT("cmp [eax], ecx", "\x39\x08", .ax = at);
			AT("div dword [eax]", "\xf7\x30", .ax = at);
			AT("push [eax]", "\xff\x30", .ax = at);
			AT("pop ecx", "\x59", .sp = at);
			AT("pop cx", "\x66\x59", .sp = at);
			AT("pop [eax] from", "\x8f\x00", .ax = RW, .sp = at);
			AT("leave", "\xc9", .bp = at);
			AT("popf", "\x9d", .sp = at, .no_flags = 1);
			AT("popfw", "\x66\x9d", .sp = at, .no_flags = 1);
			AT("popal", "\x61", .sp = at);
			AT("pop es", "\x07", .sp = at);
			AT("lodsd", "\xad", .si = at);
			AT("rep lodsb", "\xf3\xac", .si = at, .cx = 100, .retired = 0);
			AT("scasd", "\xaf", .di = at);
			AT("cmpsd from", "\xa7", .si = at);
			AT("cmpsd to", "\xa7", .di = at);
			AT("movsd from", "\xa5", .si = at);
			AT("xlat", "\xd7", .bx = at, .ax = ZERO, .retired = FITS);
			AT("fldl [eax]", "\xdd\x00", .ax = at);
			AT("fldenv [eax]", "\xd9\x20", .ax = at);
			AT("frstor [eax]", "\xdd\x20", .ax = at);
			AT("bt [eax], ecx", "\x0f\xa3\x08", .ax = at - 0x100, .cx = 0x800);
			AT("les ecx, [eax]", "\xc4\x08", .ax = at);
			AT("lss ecx, [eax]", "\x0f\xb2\x08", .ax = at);
			AT("bound ecx, [eax]", "\x62\x08", .ax = at);
			AT("mov es, [eax]", "\x8e\x00", .ax = at);
			AT("clflush [eax]", "\x0f\xae\x38", .ax = at, .retired = FITS);
		}
		AT("mov [eax], ecx", "\x89\x08", .ax = at);
		AT("mov [ebp], ecx", "\x89\x4d\x00", .bp = at);
		AT("add [eax], ecx", "\x01\x08", .ax = at);
		AT("lock add [eax], ecx", "\xf0\x01\x08", .ax = at);
		AT("xchg [eax], ecx", "\x87\x08", .ax = at);
		AT("cmpxchg8b [ebx]", "\x0f\xc7\x0b", .bx = at);
		AT("inc dword [eax]", "\xff\x00", .ax = at);
		AT("setz [eax]", "\x0f\x94\x00", .ax = at, .retired = FITS);
		AT("arpl [eax], cx", "\x63\x08", .ax = at);
		AT("push ecx", "\x51", .sp = at + 4);
		AT("push cx", "\x66\x51", .sp = at + 2);
		AT("push imm", "\x68\x01\x00\x00\x00", .sp = at + 4);
		AT("push [ebx] to", "\xff\x33", .sp = at + 4);
		AT("pop [eax]", "\x8f\x00", .ax = at);
		AT("pushf", "\x9c", .sp = at + 4);
		AT("pushfw", "\x66\x9c", .sp = at + 2);
		AT("pushal", "\x60", .sp = at + 4);
		AT("push es", "\x06", .sp = at + 4);
		AT("enter 16, 0", "\xc8\x10\x00\x00", .sp = at + 4);
		AT("stosd", "\xab", .di = at);
		AT("rep stosb", "\xf3\xaa", .di = at, .cx = 100);
		AT("movsd to", "\xa5", .di = at);
		AT("rep movsb to", "\xf3\xa4", .di = at, .cx = 100);
		AT("movups [eax], xmm1", "\x0f\x11\x08", .ax = at);
		AT("fnstcw [eax]", "\xd9\x38", .ax = at);
		AT("fnstenv [eax]", "\xd9\x30", .ax = at);
		AT("fnsave [eax]", "\xdd\x30", .ax = at);
		AT("mov [eax], es", "\x8c\x00", .ax = at);
	}
	for (unsigned k = 1; k < 16; k += 7) {
		ROW("movaps load, misaligned", "\x0f\x28\x08", .ax = RW + k);
		ROW("movaps store, misaligned", "\x0f\x29\x08", .ax = RW + k);
		ROW("movaps [esp], misaligned", "\x0f\x28\x0c\x24", .sp = STACK_TOP + k);
		ROW("movaps, misaligned and absent", "\x0f\x28\x08", .ax = ABSENT + k);
		ROW("fxsave, misaligned", "\x0f\xae\x00", .ax = RW + k);
		ROW("fxrstor, misaligned", "\x0f\xae\x08", .ax = RW + k);
	}
	ROW("ldmxcsr, MXCSR", "\x0f\xae\x13", .word = {0xffffffff});
	ROW("moffs, absent", "\xa1\x08\x00\x05\x50");
	ROW("16-bit address", "\x67\x8b\x0f", .bx = 0x120);
	ROW("write by way of CS", "\x2e\x89\x03");
	ROW("rep movsb, part", "\xf3\xa4", .si = RW, .di = RW + 2 * PAGE - 40, .cx = 100);
	ROW("rep movsd, part", "\xf3\xa5", .si = RW, .di = RW + 2 * PAGE - 40, .cx = 100);
	ROW("rep stosw, part", "\xf3\x66\xab", .di = RW + 2 * PAGE - 41, .cx = 100);
	ROW("repe cmpsb, part", "\xf3\xa6", .si = RW + 0x900, .di = RW + 2 * PAGE - 3, .cx = 100);
	ROW("repne scasb, part", "\xf2\xae", .di = RW + 2 * PAGE - 3, .cx = 100, .ax = 77);
}

static void instructions(void)
{
	static const struct {
		const char *name, *code;
		unsigned bytes;
	} row[] = {
#define I(name, code) {name, code, sizeof(code) - 1}
	    I("hlt", "\xf4"),
	    I("cli", "\xfa"),
	    I("sti", "\xfb"),
	    I("in al, imm", "\xe4\x10"),
	    I("in eax, imm", "\xe5\x10"),
	    I("in al, dx", "\xec"),
	    I("in eax, dx", "\xed"),
	    I("out imm, al", "\xe6\x10"),
	    I("out imm, eax", "\xe7\x10"),
	    I("out dx, al", "\xee"),
	    I("out dx, eax", "\xef"),
	    I("insb", "\x6c"),
	    I("insd", "\x6d"),
	    I("outsb", "\x6e"),
	    I("outsd", "\x6f"),
	    I("rep insb", "\xf3\x6c"),
	    I("rep outsb", "\xf3\x6e"),
	    I("rdmsr", "\x0f\x32"),
	    I("wrmsr", "\x0f\x30"),
	    I("lgdt", "\x0f\x01\x13"),
	    I("lidt", "\x0f\x01\x1b"),
	    I("lmsw", "\x0f\x01\xf0"),
	    I("lldt", "\x0f\x00\xd0"),
	    I("ltr", "\x0f\x00\xd8"),
	    I("clts", "\x0f\x06"),
	    I("invd", "\x0f\x08"),
	    I("wbinvd", "\x0f\x09"),
	    I("invlpg", "\x0f\x01\x3b"),
	    I("mov eax, cr0", "\x0f\x20\xc0"),
	    I("mov eax, cr2", "\x0f\x20\xd0"),
	    I("mov eax, cr4", "\x0f\x20\xe0"),
	    I("mov cr0, eax", "\x0f\x22\xc0"),
	    I("mov cr3, eax", "\x0f\x22\xd8"),
	    I("mov eax, dr0", "\x0f\x21\xc0"),
	    I("mov dr7, eax", "\x0f\x23\xf8"),
	    I("66 hlt", "\x66\xf4"),
	    I("rep hlt", "\xf3\xf4"),
	    /* undefined */
	    I("ud2", "\x0f\x0b"),
	    I("ud1", "\x0f\xb9\xc0"),
	    I("ud0", "\x0f\xff\xc0"),
	    I("lea reg", "\x8d\xc0"),
	    I("mov cs", "\x8e\xc8"),
	    I("mov seg 6", "\x8e\xf0"),
	    I("mov seg 7", "\x8e\xf8"),
	    I("mov from seg 6", "\x8c\xf0"),
	    I("lfs reg", "\x0f\xb4\xc0"),
	    I("cmpxchg8b reg", "\x0f\xc7\xc8"),
	    I("0f 04", "\x0f\x04"),
	    I("0f 0a", "\x0f\x0a"),
	    I("0f 24", "\x0f\x24\xc0"),
	    I("0f a6", "\x0f\xa6\xc0"),
	    I("rsm", "\x0f\xaa"),
	    I("fe /2", "\xfe\xd0"),
	    I("ff /7", "\xff\xf8"),
	    I("jmp far reg", "\xff\xe8"),
	    I("call far reg", "\xff\xd8"),
	    I("8f /1", "\x8f\x08"),
	    I("c6 /1", "\xc6\xc8\x00"),
	    I("d9 d1", "\xd9\xd1"),
	    I("mov cr1", "\x0f\x20\xc8"),
	    I("swapgs", "\x0f\x01\xf8"),
	    /* LOCK where no LOCK may be */
	    I("lock nop", "\xf0\x90"),
	    I("lock mov reg", "\xf0\x89\xc0"),
	    I("lock mov load", "\xf0\x8b\x03"),
	    I("lock mov store", "\xf0\x89\x03"),
	    I("lock add reg", "\xf0\x01\xc0"),
	    I("lock add load", "\xf0\x03\x03"),
	    I("lock cmp", "\xf0\x39\x03"),
	    I("lock test", "\xf0\x85\x03"),
	    I("lock push", "\xf0\x50"),
	    I("lock pop", "\xf0\x58"),
	    I("lock jmp", "\xf0\xeb\x00"),
	    I("lock jmp eax", "\xf0\xff\xe0"),
	    I("lock call", "\xf0\xe8\x00\x00\x00\x00"),
	    I("lock ret", "\xf0\xc3"),
	    I("lock jz", "\xf0\x74\x00"),
	    I("lock loop", "\xf0\xe2\x00"),
	    I("lock inc reg", "\xf0\x40"),
	    I("lock bt", "\xf0\x0f\xa3\x03"),
	    I("lock bts reg", "\xf0\x0f\xab\xc0"),
	    I("lock shl", "\xf0\xd1\x23"),
	    I("lock lea", "\xf0\x8d\x03"),
	    I("lock movsb", "\xf0\xa4"),
	    I("lock rep movsb", "\xf0\xf3\xa4"),
	    I("lock hlt", "\xf0\xf4"),
	    I("lock cli", "\xf0\xfa"),
	    I("lock cpuid", "\xf0\x0f\xa2"),
	    I("lock rdtsc", "\xf0\x0f\x31"),
	    I("lock int3", "\xf0\xcc"),
	    I("lock int 3", "\xf0\xcd\x03"),
	    I("lock int 80", "\xf0\xcd\x80"),
	    I("lock pushf", "\xf0\x9c"),
	    I("lock popf", "\xf0\x9d"),
	    I("lock iret", "\xf0\xcf"),
	    I("lock lret", "\xf0\xcb"),
	    I("lock ljmp", "\xf0\xff\x2b"),
	    I("lock mov es", "\xf0\x8e\xc0"),
	    I("lock xchg reg", "\xf0\x87\xc0"),
	    I("lock movaps", "\xf0\x0f\x28\x03"),
	    I("lock fld", "\xf0\xdd\x03"),
	    I("lock div", "\xf0\xf7\x33"),
	    I("lock setz", "\xf0\x0f\x94\x03"),
	    I("lock in", "\xf0\xec"),
	    I("lock rdmsr", "\xf0\x0f\x32"),
	    I("lock ud2", "\xf0\x0f\x0b"),
	    I("lock enter", "\xf0\xc8\x00\x00\x00"),
	    I("lock leave", "\xf0\xc9"),
	    I("lock xlat", "\xf0\xd7"),
	    I("lock clc", "\xf0\xf8"),
	    I("lock aam", "\xf0\xd4\x0a"),
	    I("lock daa", "\xf0\x27"),
	    I("lock bound", "\xf0\x62\x0b"),
	    I("lock into", "\xf0\xce"),
	    I("lock pushal", "\xf0\x60"),
	    I("lock arpl", "\xf0\x63\x0b"),
	    I("lock les", "\xf0\xc4\x0b"),
	    I("lock push es", "\xf0\x06"),
	    I("lock pop es", "\xf0\x07"),
	    I("lock sysenter", "\xf0\x0f\x34"),
	    /* too long */
	    I("16 bytes, nop", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
	    I("16 bytes, add", "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x01\xc0"),
	    I("16 bytes, mov imm",
	      "\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\xb8\x01\x00\x00\x00"),
	    I("16 bytes, ud2", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x0b"),
	    I("16 bytes, lock", "\xf0\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
	    I("16 bytes, jmp", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\xeb\x00"),
	    I("16 bytes, int 80",
	      "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\xcd\x80"),
	    I("16 bytes, far", "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\xea\x00\x00\x00\x50\x23\x00"),
	    I("16 bytes, string",
	      "\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xf3\xa4"),
	    I("20 prefixes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66"
			     "\x66\x66\x66\x90"),
	    I("15 bytes and ud2", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x0b"),
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ROW(row[i].name, "", .code = row[i].code, .bytes = row[i].bytes);
	/* AMD's processors have it, Intel's do not: SDM, "Compat/Leg Mode Invalid" */
	ROW("syscall", "\x0f\x05",
	    .intel =
		"signal 4 vector 6 error 0 code 2 address code+0 cr2 50050123 at code+0 sp+0 RF");
}

static void traps(void)
{
	char code[2] = {(char)0xcd}, name[20];

	ROW("int3", "\xcc", .retired = 1);
	ROW("int 3", "\xcd\x03", .retired = 1);
	ROW("int 4", "\xcd\x04", .retired = 1);
	ROW("int1", "\xf1", .retired = 1,
	    .intel =
		"signal 5 vector 1 error 0 code 1 address code+1 cr2 50050123 at code+1 sp+0 -");
	ROW("into", "", .code = "\xb8\xff\xff\xff\x7f\x40\xce", .bytes = 7, .at = 6, .retired = 3,
	    .no_flags = 0);
	ROW("into, no overflow", "\x38\xc0\xce", .retired = 3);
	ROW("bound, below", "\x62\x0b", .cx = 3, .word = {5, 9});
	ROW("bound, above", "\x62\x0b", .cx = 10, .word = {5, 9});
	ROW("bound, within", "\x62\x0b", .cx = 9, .word = {5, 9}, .retired = 2);
	ROW("bound, 16 bits", "\x66\x62\x0b", .cx = 3, .word = {9 << 16 | 5});
	ROW("mov es, bad", "\x8e\xc0", .ax = 0x1233);
	ROW("mov ss, null", "\x8e\xd0", .ax = ZERO);
	ROW("mov ss, bad", "\x8e\xd0", .ax = 0x23);
	ROW("pop ds, bad", "\x1f", .push = {0x7777});
	ROW("les, bad", "\xc4\x0b", .word = {0, 0x1233});
	for (int n = 0; n < 256; n += n < 0x24 ? 1 : 0x17) {
		if (n == 3 || n == 4 || n == 0x80)
			continue;
		code[1] = (char)n;
		snprintf(name, sizeof(name), "int %02x", n);
		ROW(name, "", .code = code, .bytes = 2);
	}
	ROW("aam 0", "\xd4\x00");
	ROW("div cl by 0", "\xf6\xf1", .cx = ZERO);
	ROW("div cx by 0", "\x66\xf7\xf1", .cx = ZERO);
	ROW("div ecx by 0", "\xf7\xf1", .cx = ZERO);
	ROW("div ecx, too large", "\xf7\xf1", .cx = 1, .dx = 1);
	ROW("idiv ecx", "\x99\xf7\xf9", .ax = 0x80000000, .cx = 0xffffffff, .at = 1, .retired = 1);
	ROW("div byte [ebx]", "\xf6\x33");
	ROW("x87 zero divide", "", .code = "\xdb\xe3\xd9\x2b\xd9\xe8\xd9\xee\xde\xf9\x9b\x90",
	    .bytes = 12, .at = 10, .retired = 5, .word = {0x340});
	ROW("x87 stack", "", .code = "\xdb\xe3\xd9\x2b\xd8\xc1\x0f\x77", .bytes = 8, .at = 6,
	    .retired = 3, .word = {0x340});
	__asm__ volatile("fninit" : : : "memory");
	ROW("sse zero divide", "", .code = "\x0f\x57\xc0\x0f\xae\x13\x0f\x5e\xc0", .bytes = 9,
	    .at = 6, .retired = 2, .word = {0x1f00});
}

/* Segments, tables, what only some processors have, and addresses of 16 bits. */
static void system_forms(void)
{
	static const struct {
		const char *name, *code;
		unsigned bytes;
	} row[] = {
	    I("mov ds, bad", "\x8e\xd8"),
	    I("mov fs, bad", "\x8e\xe0"),
	    I("mov gs, bad", "\x8e\xe8"),
	    I("monitor", "\x0f\x01\xc8"),
	    I("mwait", "\x0f\x01\xc9"),
	    I("clac", "\x0f\x01\xca"),
	    I("encls", "\x0f\x01\xcf"),
	    I("xsetbv", "\x0f\x01\xd1"),
	    I("vmlaunch", "\x0f\x01\xc2"),
	    I("vmread", "\x0f\x78\xc0"),
	    I("vmptrld", "\x0f\xc7\x33"),
	    I("getsec", "\x0f\x37"),
	    I("sysexit", "\x0f\x35"),
	    I("lmsw [ebx]", "\x0f\x01\x33"),
	    I("lldt [ebx]", "\x0f\x00\x13"),
	    I("mov tr", "\x0f\x24\xf0"),
	    I("wbinvd behind 66", "\x66\x0f\x09"),
	    I("lock sgdt", "\xf0\x0f\x01\x03"),
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ROW(row[i].name, "", .code = row[i].code, .bytes = row[i].bytes, .ax = 0x1233);
	ROW("lss, bad", "\x0f\xb2\x0b", .word = {0, 0x1233});
	ROW("lfs, bad", "\x0f\xb4\x0b", .word = {0, 0x1233});
	ROW("pop fs, bad", "\x0f\xa1", .push = {0x1233});
	ROW("pop ss, bad", "\x17", .push = {0x1233});
	ROW("xgetbv 5", "\x0f\x01\xd0", .cx = 5);
	/* as by a kernel that stores for the program, because the processor hides its tables (UMIP)
	 */
	ROW("sgdt absent", "\x0f\x01\x00", .ax = ABSENT,
	    .intel = "signal 11 vector 14 error 6 code 1 address 50050000 cr2 50050000 at code+0 "
		     "sp+0 RF");
	ROW("sidt read-only", "\x0f\x01\x08", .ax = RO,
	    .intel = "signal 11 vector 14 error 6 code 1 address 50010000 cr2 50010000 at code+0 "
		     "sp+0 RF");
	ROW("sgdt across", "\x0f\x01\x00", .ax = RW + 2 * PAGE - 3,
	    .intel = "signal 11 vector 14 error 6 code 1 address 50001ffd cr2 50001ffd at code+0 "
		     "sp+0 RF");
	ROW("smsw absent", "\x0f\x01\x20", .ax = ABSENT);
	ROW("str absent", "\x0f\x00\x08", .ax = ABSENT);
	ROW("verr absent", "\x0f\x00\x20", .ax = ABSENT);
	ROW("lar absent", "\x0f\x02\x08", .ax = ABSENT);
	ROW("movsb with 16 bits", "\x67\xa4", .si = 0x10, .di = RW);
	ROW("lodsd with 16 bits", "\x67\xad", .si = 0x50000010);
	ROW("stosd with 16 bits", "\x67\xab", .di = 0x50000010);
	ROW("rep stosb with 16 bits", "\x67\xf3\xaa", .di = 0x10, .cx = 0x10005);
	ROW("push [bx]", "\x67\xff\x37", .bx = 0x50000010);
	ROW("jmp [bx]", "\x67\xff\x27", .bx = 0x50000010);
	ROW("ljmp [bx]", "\x67\xff\x2f", .bx = 0x50000010);
	ROW("xlat with 16 bits", "\x67\xd7", .bx = 0x50000010, .ax = ZERO);
	ROW("pop [bx]", "\x67\x8f\x07", .bx = 0x50000010);
	ROW("les ecx, [bx]", "\x67\xc4\x0f", .bx = 0x50000010);
	ROW("enter 8, 3", "\xc8\x08\x00\x03", .bp = ABSENT + 0x100);
	ROW("popal, part", "\x61", .sp = RW + 2 * PAGE - 16);
	ROW("pushal, part", "\x60", .sp = STACK + 16);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	alarm(300);
	bench_start(argc > 1);
	near_transfers();
	direct_transfers();
	far_transfers();
	memory();
	instructions();
	traps();
	system_forms();
	(void)argv;
	return 0;
}
