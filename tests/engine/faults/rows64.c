/* rows64.c -- the table of faults of 64-bit code. Argument "model": see bench.h. */
#include "bench.h"

#define NC   0x4141414141414141ul
#define EDGE 0x0000800000000000ul /* the first address that is not canonical */
#define KERN 0xffffffff81000000ul
#define TOP  0x00007ffffffff000ul /* the first that no program may map */
#define FAR(offset, selector)                                                                      \
	{                                                                                          \
		(uintptr_t)(offset), (selector)                                                    \
	}

static void near_transfers(void)
{
	static const struct {
		const char *name;
		uintptr_t to;
	} target[] = {
	    {"not canonical", NC},
	    {"the edge", EDGE},
	    {"the upper edge", 0xffff7fffffffffff},
	    {"the kernel's", KERN},
	    {"the last", ~0ul},
	    {"top", TOP},
	    {"absent", ABSENT},
	    {"odd absent", ABSENT + 7},
	    {"no rights", NONE + 5},
	    {"not executable", RW + 0x400},
	    {"behind the file", EOF_AT + PAGE + 3},
	    {"behind the shared file", EOF_SH + PAGE},
	    {"page 0", 0x10},
	};
	char name[100];

	for (unsigned i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
		const uintptr_t to = target[i].to;
		const int is_nc = (intptr_t)(to << 16) >> 16 != (intptr_t)to;
		const char *gp = is_nc ? "signal 11 vector 13 error 0 code 128 address 0 cr2 "
					 "50050123 at code+0 sp+0 RF"
				       : NULL;
		const unsigned done = is_nc ? 0 : 1;

#define NEAR(how, code, ...)                                                                       \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", how, target[i].name);                        \
		ROW(name, code, .retired = done, .intel = gp, __VA_ARGS__);                        \
	} while (0)
		NEAR("jmp rax", "\xff\xe0", .ax = to);
		NEAR("jmp [rbx]", "\xff\x23", .word = {to});
		NEAR("jmp [rsp]", "\xff\x24\x24", .push = {to});
		NEAR("call rax", "\xff\xd0", .ax = to);
		NEAR("call [rbx]", "\xff\x13", .word = {to});
		NEAR("ret", "\xc3", .push = {to});
		NEAR("ret 24", "\xc2\x18\x00", .push = {to});
		NEAR("rep ret", "\xf3\xc3", .push = {to});
		NEAR("bnd jmp rcx", "\xf2\xff\xe1", .cx = to);
		NEAR("notrack jmp rdx", "\x3e\xff\xe2", .dx = to);
#undef NEAR
	}
	ROW("call rax, stack absent", "\xff\xd0", .ax = RW, .sp = ABSENT + 0x800);
	ROW("call rax, stack read-only", "\xff\xd0", .ax = RW, .sp = RO + 0x800);
	ROW("call rax, stack not canonical", "\xff\xd0", .ax = RW, .sp = NC);
	ROW("call rax, stack across", "\xff\xd0", .ax = RW, .sp = STACK + 4);
	ROW("call [rbx], stack absent", "\xff\x13", .word = {RW}, .sp = ABSENT + 0x800);
	ROW("call [rbx] absent", "\xff\x13", .bx = ABSENT + 8);
	ROW("jmp [rbx] no rights", "\xff\x23", .bx = NONE + 8);
	ROW("jmp [rbx] not canonical", "\xff\x23", .bx = NC);
	ROW("jmp [rbp] not canonical", "\xff\x65\x00", .bp = NC);
	ROW("call [rsp] not canonical", "\xff\x14\x24", .sp = NC);
	ROW("call rel32, stack absent", "\xe8\x00\x00\x00\x00", .sp = ABSENT + 0x800);
	ROW("call rel32, stack not canonical", "\xe8\x00\x00\x00\x00", .sp = NC);
	ROW("call rel32, stack kernel's", "\xe8\x00\x00\x00\x00", .sp = KERN);
	ROW("call rel32, no rights", "\xe8\x00\x00\x00\x00", .sp = NONE + 0x800);
	ROW("ret, stack absent", "\xc3", .sp = ABSENT + 0x800);
	ROW("ret, stack not canonical", "\xc3", .sp = NC);
	ROW("ret, stack across", "\xc3", .sp = RW + 2 * PAGE - 4);
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
		NEXT("addr32 loop taken", "\x67\xe2\x10", .end = 3, .retired = 1,
		     .cx = 0x500000005);
		NEXT("jrcxz taken", "\xe3\x10", .end = 2, .retired = 1, .cx = ZERO);
		NEXT("jecxz taken", "\x67\xe3\x10", .end = 3, .retired = 1, .cx = 0x100000000);
		NEXT("fall", "\x48\x01\xd8", .end = 3, .retired = 1);
		NEXT("fall behind a store", "\x48\x89\x03", .end = 3, .retired = 1);
		NEXT("fall behind a push", "\x50", .end = 1, .retired = 1);
		NEXT("fall behind a syscall", "\x0f\x05", .end = 2, .retired = 1, .ax = 102);
		NEXT("fall behind cpuid", "\x0f\xa2", .end = 2, .retired = 1, .ax = 0x60000000,
		     .cx = ZERO, .no_regs = 1);
		NEXT("across, mov imm64", "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", .end = 4);
		NEXT("across, behind one", "\x90\xb8\x01\x02\x03\x04", .end = 3, .at = 1,
		     .retired = 1);
		NEXT("across, load", "\x48\x8b\x83\x00\x00\x00\x00", .end = 3);
		NEXT("across, call", "\xe8\x00\x00\x00\x00", .end = 2);
		NEXT("across, ret imm", "\xc2\x08\x00", .end = 2);
		NEXT("across, syscall", "\x0f\x05", .end = 1);
		NEXT("across, prefixes", "\x66\x66\x66\x90", .end = 3);
		NEXT("across, hlt behind a prefix", "\x66\xf4", .end = 1);
		NEXT("ud2 at the end", "\x0f\x0b", .end = 2);
		NEXT("hlt at the end", "\xf4", .end = 1);
		NEXT("int3 at the end", "\xcc", .end = 1, .retired = 1);
		NEXT("14 prefixes at the end",
		     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", .end = 14);
		NEXT("15 prefixes at the end",
		     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", .end = 15);
		NEXT("jmp into the last byte", "\xeb\x02\x90\x90\x48", .end = 5, .at = 4,
		     .retired = 1);
#undef NEXT
	}
}

/* Relative branches whose target is not canonical: from below 2^47 across it. */
static void beyond(void)
{
	static const char *const gp =
	    "signal 11 vector 13 error 0 code 128 address 0 cr2 50050123 at code+0 sp+0 RF";
	static const struct {
		const char *name;
		const char *code;
		unsigned bytes;
		uintptr_t cx;
	} row[] = {
	    {"jmp rel32 beyond", "\xe9\x00\x00\x00\x7f", 5, 0},
	    {"call rel32 beyond", "\xe8\x00\x00\x00\x7f", 5, 0},
	    {"jz beyond", "\x0f\x84\x00\x00\x00\x7f", 6, 0},
	};
	char *page = (char *)0x7fff90000000;

	if (!is_model) {
		for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
			printf("%s: %s\n", row[i].name, gp);
		return;
	}
	map((uintptr_t)page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, -1);
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct row w = {.name = row[i].name};
		char line[512];

		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		memcpy(page + 64, "\x38\xc0", 2); /* ZF = 1 */
		memcpy(page + 66, row[i].code, row[i].bytes);
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		set_registers(&w);
		row_state.go = WARM;
		bench_enter();
		row_state.go = (uintptr_t)page + 64;
		is_counting = 1;
		bench_enter();
		is_counting = 0;
		describe(&w, (uintptr_t)page + 66, line);
		if (count_after - count_before != COUNT_OVERHEAD + 1)
			sprintf(line + strlen(line), " RETIRED %d",
				(int)(count_after - count_before - COUNT_OVERHEAD - 1));
		printf("%s: %s\n", w.name, line);
	}
	munmap(page, PAGE);
}

static void far_transfers(void)
{
	static const char *const gp =
	    "signal 11 vector 13 error 0 code 128 address 0 cr2 50050123 at code+0 sp+0 RF";
	static const struct {
		const char *name;
		uintptr_t to;
	} target[] = {
	    {"not canonical", NC},
	    {"absent", ABSENT + 4},
	    {"not executable", RW},
	    {"kernel's", KERN},
	};
	static const uintptr_t bad[] = {0,    1,    3,	  0x2b, 0x28,	0x30,  0x10,
					0x18, 0x1b, 0x63, 0x77, 0x7ff3, 0x7ff7};
	char name[100];

	for (unsigned i = 0; i < 4; i++) {
		const uintptr_t to = target[i].to;
		const unsigned done = i != 0;

#define TO(how, code, ...)                                                                         \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", how, target[i].name);                        \
		ROW(name, code, .retired = done, .intel = i ? NULL : gp, __VA_ARGS__);             \
	} while (0)
		TO("lretq", "\x48\xcb", .push = {to, 0x33});
		TO("lretq 16", "\x48\xca\x10\x00", .push = {to, 0x33});
		TO("iretq", "\x48\xcf", .push = {to, 0x33, 0x202, STACK_TOP - 64, 0x2b});
		if (i == 1 || i == 2) { /* offsets of 32 bits */
			TO("lret", "\xcb", .push = {(uint32_t)to | 0x3300000000});
			TO("ljmp [rbx]", "\xff\x2b", .word = {(uint32_t)to | 0x3300000000});
			TO("lcall [rbx]", "\xff\x1b", .word = {(uint32_t)to | 0x3300000000});
		}
#undef TO
	}
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const uintptr_t s = bad[i];

#define BAD(how, code, ...)                                                                        \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %lx", how, (unsigned long)s);                     \
		ROW(name, code, __VA_ARGS__);                                                      \
	} while (0)
		BAD("lretq selector", "\x48\xcb", .push = {RW, s});
		BAD("iretq selector", "\x48\xcf", .push = {RW, s, 0x202, STACK_TOP - 64, 0x2b});
		if (s != 0x2b)
			BAD("iretq ss", "\x48\xcf",
			    .push = {ABSENT, 0x33, 0x202, STACK_TOP - 64, s});
		BAD("ljmp selector", "\xff\x2b", .retired = s == 0x30, .word = {RW | s << 32});
		BAD("lcall selector", "\xff\x1b", .retired = s == 0x30, .word = {RW | s << 32});
#undef BAD
	}
	/* the words are popped in this order: SDM, RET and IRET, "Operation" */
	ROW("lretq, stack absent", "\x48\xcb", .sp = ABSENT + 8,
	    .intel = "signal 11 vector 14 error 4 code 1 address 50050008 cr2 50050008 at code+0 "
		     "sp+0 RF");
	ROW("lretq, stack not canonical", "\x48\xcb", .sp = NC);
	ROW("lretq, stack across", "\x48\xcb", .sp = RW + 2 * PAGE - 8);
	ROW("iretq, stack absent", "\x48\xcf", .sp = ABSENT + 8,
	    .intel = "signal 11 vector 14 error 4 code 1 address 50050008 cr2 50050008 at code+0 "
		     "sp+0 RF");
	ROW("iretq, stack no rights", "\x48\xcf", .sp = NONE + 8,
	    .intel = "signal 11 vector 14 error 4 code 2 address 50020008 cr2 50020008 at code+0 "
		     "sp+0 RF");
	ROW("iretq, stack not canonical", "\x48\xcf", .sp = NC);
	ROW("iretq, stack across", "\x48\xcf", .sp = RW + 2 * PAGE - 24,
	    .intel = "signal 11 vector 14 error 4 code 1 address 50002000 cr2 50002000 at code+0 "
		     "sp+0 RF");
	ROW("iretq, new stack not canonical", "\x48\xcf", .push = {ABSENT, 0x33, 0x202, NC, 0x2b},
	    .retired = 1);
	ROW("ljmp [rbx] absent", "\xff\x2b", .bx = ABSENT);
	ROW("lcall [rbx] not canonical", "\xff\x1b", .bx = NC);
	ROW("ljmp [rbp] not canonical", "\xff\x6d\x00", .bp = NC);
	ROW("lcall [rbx], stack absent", "\xff\x1b", .word = {RW | 0x3300000000},
	    .sp = ABSENT + 64);
	ROW("lcall [rbx], stack not canonical", "\xff\x1b", .word = {RW | 0x3300000000}, .sp = NC);
}

/* mov rax, [..] and so on: how, its code, which register holds the address. */
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
	    {"not canonical", NC},
	    {"the edge", EDGE},
	    {"the kernel's", KERN},
	    {"page 0", 8},
	    {"vsyscall", 0xffffffffff600000},
	    {"top", TOP + 8},
	};
	char name[100];

	for (unsigned i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		/* with addresses of 57 bits the edge lies elsewhere; the line is the same */
		const int is_edge = place[i].at == EDGE;
		const uintptr_t at = is_edge && !is_model ? NC : place[i].at;

#define AT(how, code, ...)                                                                         \
	do {                                                                                       \
		snprintf(name, sizeof(name), "%s %s", how, place[i].name);                         \
		ROW(name, code, __VA_ARGS__);                                                      \
	} while (0)
#define FITS (at == RW + 2 * PAGE - 1 ? 2 : 0) /* a byte there can be accessed: INT3 is next */
		if (at != RO + 8) {	       /* loads, which a page without writing allows */
			AT("mov rcx, [rax]", "\x48\x8b\x08", .ax = at);
			AT("mov rcx, [rbp]", "\x48\x8b\x4d\x00", .bp = at);
			AT("mov rcx, [rsp]", "\x48\x8b\x0c\x24", .sp = at);
			AT("mov rcx, [rax+r8]", "\x4a\x8b\x0c\x00", .ax = at - 0x1008);
			AT("mov rcx, fs:[rax]", "\x64\x48\x8b\x08", .ax = NC);
			AT("mov rcx, gs:[rax]", "\x65\x48\x8b\x08", .ax = at);
			AT("mov rcx, gs:[rbp]", "\x65\x48\x8b\x4d\x00", .bp = at);
			AT("mov rcx, gs:[rsp]", "\x65\x48\x8b\x0c\x24", .sp = at);
			AT("mov rcx, ds:[rbp]", "\x3e\x48\x8b\x4d\x00", .bp = at);
			AT("mov rcx, ss:[rax]", "\x36\x48\x8b\x08", .ax = at);
			AT("add rcx, [rax]", "\x48\x03\x08", .ax = at);
			AT("cmp [rax], ecx", "\x39\x08", .ax = at);
			AT("div qword [rax]", "\x48\xf7\x30", .ax = at);
			AT("push [rax]", "\xff\x30", .ax = at);
			AT("pop rcx", "\x59", .sp = at);
			AT("pop [rax] from", "\x8f\x00", .ax = RW, .sp = at);
			AT("leave", "\xc9", .bp = at);
			AT("popfq", "\x9d", .sp = at, .no_flags = 1);
			AT("lodsq", "\x48\xad", .si = at);
			AT("rep lodsb", "\xf3\xac", .si = at, .cx = 100);
			AT("scasq", "\x48\xaf", .di = at);
			AT("cmpsq from", "\x48\xa7", .si = at);
			AT("cmpsq to", "\x48\xa7", .di = at);
			AT("movsq from", "\x48\xa5", .si = at);
			AT("xlat", "\xd7", .bx = at, .ax = ZERO, .retired = FITS);
			AT("movups xmm1, [rax]", "\x0f\x10\x08", .ax = at);
			AT("fldl [rax]", "\xdd\x00", .ax = at);
			AT("fldt [rax]", "\xdb\x28", .ax = at);
			AT("fldenv [rax]", "\xd9\x20", .ax = at);
			AT("ldmxcsr [rax]", "\x0f\xae\x10", .ax = at);
			AT("bt [rax], rcx", "\x48\x0f\xa3\x08", .ax = at - 0x100, .cx = 0x800);
			AT("lfs ecx, [rax]", "\x0f\xb4\x08", .ax = at);
			AT("mov fs, [rax]", "\x8e\x20", .ax = at);
			AT("pop fs", "\x0f\xa1", .sp = at);
			AT("mov r15, [rax]", "\x4c\x8b\x38", .ax = at);
			AT("mov rcx, [r15]", "", .ax = at, .at = 3,
			   .code = "\x49\x89\xc7\x49\x8b\x0f", .bytes = 6, .retired = 1);
			AT("clflush [rax]", "\x0f\xae\x38", .ax = at, .retired = FITS);
		}
		AT("mov [rax], rcx", "\x48\x89\x08", .ax = at);
		AT("mov [rbp], rcx", "\x48\x89\x4d\x00", .bp = at);
		AT("mov [rax], imm", "\x48\xc7\x00\x01\x00\x00\x00", .ax = at);
		AT("mov fs:[rax], rcx", "\x64\x48\x89\x08", .ax = NC);
		AT("mov gs:[rax], rcx", "\x65\x48\x89\x08", .ax = at);
		AT("add [rax], rcx", "\x48\x01\x08", .ax = at);
		AT("lock add [rax], ecx", "\xf0\x01\x08", .ax = at);
		AT("xchg [rax], rcx", "\x48\x87\x08", .ax = at);
		AT("cmpxchg [rbx], rcx", "\x48\x0f\xb1\x0b", .bx = at);
		AT("xadd [rax], rcx", "\x48\x0f\xc1\x08", .ax = at);
		AT("inc dword [rax]", "\xff\x00", .ax = at);
		AT("setz [rax]", "\x0f\x94\x00", .ax = at, .retired = FITS);
		AT("shl qword [rax], 1", "\x48\xd1\x20", .ax = at);
		AT("bts [rax], rcx", "\x48\x0f\xab\x08", .ax = at - 0x100, .cx = 0x800);
		AT("push rcx", "\x51", .sp = at + 8);
		AT("push imm", "\x68\x01\x00\x00\x00", .sp = at + 8);
		AT("push [rbx] to", "\xff\x33", .sp = at + 8);
		AT("pop [rax]", "\x8f\x00", .ax = at);
		if (at > 8 && !is_edge)
			AT("pop [rsp]", "\x8f\x04\x24", .sp = at - 8);
		AT("pushfq", "\x9c", .sp = at + 8);
		AT("push fs", "\x0f\xa0", .sp = at + 8);
		AT("enter 16, 0", "\xc8\x10\x00\x00", .sp = at + 8);
		AT("enter 16, 2", "\xc8\x10\x00\x02", .sp = at + 8);
		AT("stosq", "\x48\xab", .di = at);
		AT("rep stosb", "\xf3\xaa", .di = at, .cx = 100);
		AT("movsq to", "\x48\xa5", .di = at);
		AT("rep movsb to", "\xf3\xa4", .di = at, .cx = 100);
		AT("movups [rax], xmm1", "\x0f\x11\x08", .ax = at);
		AT("movntq [rax], mm1", "\x0f\xe7\x08", .ax = at);
		AT("movnti [rax], ecx", "\x0f\xc3\x08", .ax = at);
		AT("fstl [rax]", "\xd9\xee\xdd\x18", .ax = at, .at = 2, .retired = 1);
		AT("fnstcw [rax]", "\xd9\x38", .ax = at);
		AT("fnstenv [rax]", "\xd9\x30", .ax = at);
		AT("fnsave [rax]", "\xdd\x30", .ax = at);
		AT("stmxcsr [rax]", "\x0f\xae\x18", .ax = at);
		AT("mov [rax], fs", "\x8c\x20", .ax = at);
		AT("mov [rax], ds", "\x8c\x18", .ax = at);
		AT("call [rax] target", "\xff\x10", .ax = RW + 0x700, .sp = at + 8);
	}
	{
		const uintptr_t at = is_model ? EDGE - 1 : NC;

		ROW("mov rcx, [rax] across the edge", "\x48\x8b\x08", .ax = at);
		ROW("mov [rsp], rcx across the edge", "\x48\x89\x0c\x24", .sp = at);
		ROW("popfq across the edge", "\x9d", .sp = at);
		ROW("mov [rax], fs across the edge", "\x8c\x20", .ax = at);
		ROW("lfs ecx, [rax] across the edge", "\x0f\xb4\x08", .ax = at);
	}
	for (unsigned k = 1; k < 16; k += 7) {
		ROW("movaps load, misaligned", "\x0f\x28\x08", .ax = RW + k);
		ROW("movaps store, misaligned", "\x0f\x29\x08", .ax = RW + k);
		ROW("movaps [rsp], misaligned", "\x0f\x28\x0c\x24", .sp = STACK_TOP + k);
		ROW("movaps [rbp], misaligned", "\x0f\x29\x4d\x00", .bp = STACK_TOP + k);
		ROW("movaps, misaligned and absent", "\x0f\x28\x08", .ax = ABSENT + k);
		ROW("movdqa, misaligned", "\x66\x0f\x6f\x08", .ax = RW + k);
		ROW("movntps, misaligned", "\x0f\x2b\x08", .ax = RW + k);
		ROW("addps, misaligned", "\x0f\x58\x08", .ax = RW + k);
		ROW("fxsave, misaligned", "\x0f\xae\x00", .ax = RW + k);
		ROW("fxrstor, misaligned", "\x0f\xae\x08", .ax = RW + k);
		ROW("cmpxchg16b, misaligned", "\x48\x0f\xc7\x0b", .bx = RW + k);
	}
	ROW("fxsave, absent", "\x0f\xae\x00", .ax = ABSENT + 16);
	ROW("fxsave, across", "\x0f\xae\x00", .ax = RW + 2 * PAGE - 32);
	ROW("fxsave, not canonical", "\x0f\xae\x00", .ax = NC & ~15ul);
	ROW("fxrstor, absent", "\x0f\xae\x08", .ax = ABSENT + 16);
	ROW("fxrstor, MXCSR", "\x0f\xae\x08", .ax = RW + 0x100, .word = {0, 0, 0},
	    .bx = RW + 0x100 - 24, .code = "\xc7\x80\x18\x00\x00\x00\xff\xff\xff\xff\x0f\xae\x08",
	    .bytes = 13, .at = 10, .retired = 1);
	ROW("ldmxcsr, MXCSR", "\x0f\xae\x13", .word = {0xffffffff});
	ROW("rip-relative, absent", "\x48\x8b\x05\x00\x00\x00\x40");
	ROW("moffs, absent", "\xa1\x08\x00\x05\x50\x00\x00\x00\x00");
	ROW("moffs, not canonical", "\xa2\x41\x41\x41\x41\x41\x41\x41\x41");
	ROW("maskmovdqu", "\x66\x0f\xf7\xc9", .di = ABSENT,
	    .code = "\x66\x0f\x76\xc9\x66\x0f\xf7\xc9", .bytes = 8, .at = 4, .retired = 1);
	/* what was done of a repetition stays done */
	ROW("rep movsb, part", "\xf3\xa4", .si = RW, .di = RW + 2 * PAGE - 40, .cx = 100);
	ROW("rep movsq, part", "\xf3\x48\xa5", .si = RW, .di = RW + 2 * PAGE - 40, .cx = 100);
	ROW("rep stosw, part", "\xf3\x66\xab", .di = RW + 2 * PAGE - 41, .cx = 100);
	ROW("rep lodsb, part", "\xf3\xac", .si = RW + 2 * PAGE - 3, .cx = 100);
	ROW("repe cmpsb, part", "\xf3\xa6", .si = RW + 0x900, .di = RW + 2 * PAGE - 3, .cx = 100);
	ROW("repne scasb, part", "\xf2\xae", .di = RW + 2 * PAGE - 3, .cx = 100, .ax = 77);
}

static void instructions(void)
{
	static const struct {
		const char *name, *code;
		unsigned bytes;
	} gp[] =
	    {
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
		I("mov rax, cr0", "\x0f\x20\xc0"),
		I("mov rax, cr2", "\x0f\x20\xd0"),
		I("mov rax, cr3", "\x0f\x20\xd8"),
		I("mov rax, cr4", "\x0f\x20\xe0"),
		I("mov cr0, rax", "\x0f\x22\xc0"),
		I("mov cr3, rax", "\x0f\x22\xd8"),
		I("mov rax, cr8", "\x44\x0f\x20\xc0"),
		I("mov rax, dr0", "\x0f\x21\xc0"),
		I("mov rax, dr7", "\x0f\x21\xf8"),
		I("mov dr7, rax", "\x0f\x23\xf8"),
		I("sysretq", "\x48\x0f\x07"),
		I("sysret", "\x0f\x07"),
		I("swapgs", "\x0f\x01\xf8"),
		I("lgdt absent", "\x0f\x01\x14\x25\x00\x00\x05\x50"),
		I("66 hlt", "\x66\xf4"),
		I("rex hlt", "\x48\xf4"),
		I("rep hlt", "\xf3\xf4"),
	    },
	  ud[] =
	      {
		  I("ud2", "\x0f\x0b"),
		  I("ud1", "\x0f\xb9\xc0"),
		  I("ud0", "\x0f\xff\xc0"),
		  I("06", "\x06"),
		  I("07", "\x07"),
		  I("0e", "\x0e"),
		  I("16", "\x16"),
		  I("17", "\x17"),
		  I("1e", "\x1e"),
		  I("1f", "\x1f"),
		  I("27", "\x27"),
		  I("2f", "\x2f"),
		  I("37", "\x37"),
		  I("3f", "\x3f"),
		  I("60", "\x60"),
		  I("61", "\x61"),
		  I("82", "\x82\xc0\x01"),
		  I("9a", "\x9a\x00\x00\x00\x00\x33\x00"),
		  I("ce", "\xce"),
		  I("d4", "\xd4\x0a"),
		  I("d5", "\xd5\x0a"),
		  I("d6", "\xd6"),
		  I("ea", "\xea\x00\x00\x00\x00\x33\x00"),
		  I("lea reg", "\x8d\xc0"),
		  I("mov cs", "\x8e\xc8"),
		  I("mov seg 6", "\x8e\xf0"),
		  I("mov seg 7", "\x8e\xf8"),
		  I("mov from seg 6", "\x8c\xf0"),
		  I("lfs reg", "\x0f\xb4\xc0"),
		  I("cmpxchg8b reg", "\x0f\xc7\xc8"),
		  I("0f 04", "\x0f\x04"),
		  I("0f 0a", "\x0f\x0a"),
		  I("0f 0c", "\x0f\x0c"),
		  I("0f 24", "\x0f\x24\xc0"),
		  I("0f 25", "\x0f\x25\xc0"),
		  I("0f 26", "\x0f\x26\xc0"),
		  I("0f a6", "\x0f\xa6\xc0"),
		  I("0f a7", "\x0f\xa7\xc0"),
		  I("rsm", "\x0f\xaa"),
		  I("fe /2", "\xfe\xd0"),
		  I("ff /7", "\xff\xf8"),
		  I("jmp far reg", "\xff\xe8"),
		  I("call far reg", "\xff\xd8"),
		  I("8f /1", "\x8f\x08"),
		  I("c6 /1", "\xc6\xc8\x00"),
		  I("d9 d1", "\xd9\xd1"),
		  I("db e5", "\xdb\xe5"),
		  I("df fe", "\xdf\xfe"),
		  I("mov cr1", "\x0f\x20\xc8"),
		  I("mov cr5", "\x0f\x20\xe8"),
		  I("movdir", "\x0f\x38\xf9\xc0"),
		  I("0f 38 ff", "\x0f\x38\xff\xc0"),
		  I("0f 3a ff", "\x0f\x3a\xff\xc0\x00"),
		  I("vex with 66", "\x66\xc5\xf0\x58\xc0"),
		  I("vex with lock", "\xf0\xc5\xf0\x58\xc0"),
		  I("vex with rex", "\x48\xc5\xf0\x58\xc0"),
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
		  I("lock jmp rax", "\xf0\xff\xe0"),
		  I("lock call", "\xf0\xe8\x00\x00\x00\x00"),
		  I("lock ret", "\xf0\xc3"),
		  I("lock jz", "\xf0\x74\x00"),
		  I("lock loop", "\xf0\xe2\x00"),
		  I("lock inc reg", "\xf0\xff\xc0"),
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
		  I("lock syscall", "\xf0\x0f\x05"),
		  I("lock pushf", "\xf0\x9c"),
		  I("lock popf", "\xf0\x9d"),
		  I("lock iretq", "\xf0\x48\xcf"),
		  I("lock lret", "\xf0\xcb"),
		  I("lock ljmp", "\xf0\xff\x2b"),
		  I("lock mov fs", "\xf0\x8e\xe0"),
		  I("lock xchg reg", "\xf0\x87\xc0"),
		  I("lock movaps", "\xf0\x0f\x28\x03"),
		  I("lock fld", "\xf0\xdd\x03"),
		  I("lock div", "\xf0\xf7\x33"),
		  I("lock imul", "\xf0\x0f\xaf\x03"),
		  I("lock setz", "\xf0\x0f\x94\x03"),
		  I("lock fxsave", "\xf0\x0f\xae\x03"),
		  I("lock in", "\xf0\xec"),
		  I("lock rdmsr", "\xf0\x0f\x32"),
		  I("lock ud2", "\xf0\x0f\x0b"),
		  I("lock enter", "\xf0\xc8\x00\x00\x00"),
		  I("lock leave", "\xf0\xc9"),
		  I("lock xlat", "\xf0\xd7"),
		  I("lock clc", "\xf0\xf8"),
		  I("lock std", "\xf0\xfd"),
		  I("lock cmpxchg reg", "\xf0\x0f\xb1\xc8"),
		  I("lock xadd reg", "\xf0\x0f\xc1\xc8"),
		  I("lock neg reg", "\xf0\xf7\xd8"),
		  I("lock popcnt", "\xf0\xf3\x0f\xb8\x03"),
		  I("lock lfs", "\xf0\x0f\xb4\x03"),
		  I("lock push fs", "\xf0\x0f\xa0"),
		  I("lock rdrand", "\xf0\x0f\xc7\xf0"),
		  I("lock rdpmc", "\xf0\x0f\x33"),
		  I("lock xgetbv", "\xf0\x0f\x01\xd0"),
		  I("lock rdfsbase", "\xf0\xf3\x0f\xae\xc0"),
		  I("lock int 80", "\xf0\xcd\x80"),
	      },
	  too_long[] = {
	      I("16 bytes, nop",
		"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
	      I("16 bytes, add",
		"\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x01\xc0"),
	      I("16 bytes, mov imm",
		"\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\x3e\xb8\x01\x00\x00\x00"),
	      I("16 bytes, ud2",
		"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x0b"),
	      I("16 bytes, lock",
		"\xf0\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90"),
	      I("16 bytes, jmp",
		"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\xeb\x00"),
	      I("16 bytes, syscall",
		"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x05"),
	      I("16 bytes, rex",
		"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x48\x01\xc0"),
	      I("16 bytes, vex",
		"\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\xc5\xf0\x58\xc0"),
	      I("20 prefixes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66"
			       "\x66\x66\x66\x66\x90"),
	      I("15 bytes and ud2", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x0f\x0b"),
	  };

#define EACH(list)                                                                                 \
	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++)                              \
	ROW(list[i].name, "", .code = list[i].code, .bytes = list[i].bytes)
	EACH(gp);
	EACH(ud);
	EACH(too_long);
	ROW("sysenter", "\x0f\x34",
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
	ROW("66 int3", "\x66\xcc", .retired = 1);
	ROW("rex int3", "\x48\xcc", .retired = 1);
	ROW("rep int 3", "\xf3\xcd\x03", .retired = 1);
	for (int n = 0; n < 256; n += n < 0x24 ? 1 : 0x17) {
		if (n == 3 || n == 4 || n == 0x80)
			continue;
		code[1] = (char)n;
		snprintf(name, sizeof(name), "int %02x", n);
		ROW(name, "", .code = code, .bytes = 2);
	}
}

static void arithmetic(void)
{
	ROW("div cl by 0", "\xf6\xf1", .cx = ZERO);
	ROW("div cx by 0", "\x66\xf7\xf1", .cx = ZERO);
	ROW("div ecx by 0", "\xf7\xf1", .cx = ZERO);
	ROW("div rcx by 0", "\x48\xf7\xf1", .cx = ZERO);
	ROW("div rcx, too large", "\x48\xf7\xf1", .cx = 1, .dx = 1);
	ROW("div byte [rbx]", "\xf6\x33");
	ROW("div qword [rbx]", "\x48\xf7\x33");
	ROW("idiv ecx", "\x99\xf7\xf9", .ax = 0x80000000, .cx = 0xffffffff, .at = 1, .retired = 1);
	ROW("idiv rcx", "\x48\x99\x48\xf7\xf9", .ax = 1ul << 63, .cx = ~0ul, .at = 2,
	    .retired = 2 - 1);
	ROW("div r15", "\x49\xf7\xf7", .code = "\x4d\x31\xff\x49\xf7\xf7", .bytes = 6, .at = 3,
	    .retired = 1);
	/* x87: fninit; fldcw with all unmasked; 1/0; the next waits */
	ROW("x87 zero divide", "", .code = "\xdb\xe3\xd9\x2b\xd9\xe8\xd9\xee\xde\xf9\x9b\x90",
	    .bytes = 12, .at = 10, .retired = 5, .word = {0x340});
	ROW("x87 invalid", "", .code = "\xdb\xe3\xd9\x2b\xd9\xee\xd9\xee\xde\xf9\xd9\xe8\x90",
	    .bytes = 13, .at = 10, .retired = 5, .word = {0x340});
	ROW("x87 stack", "", .code = "\xdb\xe3\xd9\x2b\xd8\xc1\x0f\x77", .bytes = 8, .at = 6,
	    .retired = 3, .word = {0x340});
	ROW("sse zero divide", "", .code = "\xdb\xe3\x0f\x57\xc0\x0f\xae\x13\x0f\x5e\xc0",
	    .bytes = 11, .at = 8, .retired = 3, .word = {0x1d00});
	ROW("sse invalid", "", .code = "\x0f\x57\xc0\x0f\xae\x13\x0f\x5e\xc0", .bytes = 9, .at = 6,
	    .retired = 2, .word = {0x1f00});
	ROW("sse inexact", "",
	    .code = "\x0f\xae\x13\xf3\x0f\x2a\xc0\xf3\x0f\x2a\xc8\xf3\x0f\x59\xc9\xf3\x0f\x5e\xc1"
		    "\x0f\x2f\xc0",
	    .bytes = 22, .ax = 3, .at = 15, .retired = 4, .word = {0x0f80});
	__asm__ volatile("fninit" : : : "memory");
}

/* Segments, tables and what only some processors have. */
static void system_forms(void)
{
	static const struct {
		const char *name, *code;
		unsigned bytes;
	} row[] = {
	    I("mov ds, bad", "\x8e\xd8"),
	    I("mov es, bad", "\x8e\xc0"),
	    I("mov fs, bad", "\x8e\xe0"),
	    I("mov gs, bad", "\x8e\xe8"),
	    I("mov ss, bad", "\x8e\xd0"),
	    I("vmlaunch", "\x0f\x01\xc2"),
	    I("vmxoff", "\x0f\x01\xc4"),
	    I("monitor", "\x0f\x01\xc8"),
	    I("mwait", "\x0f\x01\xc9"),
	    I("clac", "\x0f\x01\xca"),
	    I("stac", "\x0f\x01\xcb"),
	    I("encls", "\x0f\x01\xcf"),
	    I("xsetbv", "\x0f\x01\xd1"),
	    I("vmfunc", "\x0f\x01\xd4"),
	    I("vmread", "\x0f\x78\xc0"),
	    I("vmwrite", "\x0f\x79\xc0"),
	    I("vmptrld", "\x0f\xc7\x33"),
	    I("xsaves", "\x0f\xc7\x2b"),
	    I("xrstors", "\x0f\xc7\x1b"),
	    I("wrss", "\x0f\x38\xf6\x03"),
	    I("getsec", "\x0f\x37"),
	    I("lock sgdt", "\xf0\x0f\x01\x03"),
	    I("sysexit", "\x0f\x35"),
	    I("sysexitq", "\x48\x0f\x35"),
	    I("lmsw [rbx]", "\x0f\x01\x33"),
	    I("lldt [rbx]", "\x0f\x00\x13"),
	    I("mov tr", "\x0f\x24\xf0"),
	    I("xabort", "\xc6\xf8\x00"),
	    I("salc", "\xd6"),
	};

	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ROW(row[i].name, "", .code = row[i].code, .bytes = row[i].bytes, .ax = 0x1233);
	/* no virtual machine calls its hypervisor here: SDM, VMCALL, "outside VMX operation" */
	ROW("vmcall", "\x0f\x01\xc1",
	    .intel =
		"signal 4 vector 6 error 0 code 2 address code+0 cr2 50050123 at code+0 sp+0 RF");
	/* not every processor has it */
	ROW("invpcid", "\x66\x0f\x38\x82\x03",
	    .intel =
		"signal 11 vector 13 error 0 code 128 address 0 cr2 50050123 at code+0 sp+0 RF");
	ROW("mov ss, null", "\x8e\xd0", .ax = ZERO);
	ROW("lss, bad", "\x0f\xb2\x0b", .word = {0x123300000000});
	ROW("lfs, bad", "\x0f\xb4\x0b", .word = {0x123300000000});
	ROW("pop fs, bad", "\x0f\xa1", .push = {0x1233});
	ROW("xgetbv 5", "\x0f\x01\xd0", .cx = 5);
	ROW("wrfsbase, not canonical", "\xf3\x48\x0f\xae\xd0", .ax = NC);
	ROW("sgdt absent", "\x0f\x01\x00", .ax = ABSENT);
	ROW("sidt read-only", "\x0f\x01\x08", .ax = RO);
	/* with UMIP the kernel stores for the program, and shows a page fault */
	ROW("sgdt not canonical", "\x0f\x01\x00", .ax = NC,
	    .intel =
		"signal 11 vector 13 error 0 code 128 address 0 cr2 50050123 at code+0 sp+0 RF");
	ROW("smsw absent", "\x0f\x01\x20", .ax = ABSENT);
	ROW("str absent", "\x0f\x00\x08", .ax = ABSENT);
	ROW("verr absent", "\x0f\x00\x20", .ax = ABSENT);
	ROW("lar absent", "\x0f\x02\x08", .ax = ABSENT);
	ROW("ljmp m16:64, not canonical", "\x48\xff\x2b", .word = {NC, 0x33},
	    .intel = "signal 11 vector 13 error 0 code 128 address 0 cr2 50050123 at code+0 sp+0 "
		     "RF"); /* AMD's have no such form */
	ROW("store into its own page", "\x88\x05\x00\x00\x00\x00");
	ROW("store into its own first byte", "\xc6\x05\xf9\xff\xff\xff\x90");
	ROW("lock add into its own page", "\xf0\x01\x05\x10\x00\x00\x00");
	/* as with the kernel's vsyscall=xonly; no exception, so the frame shows the last one's
	 * number */
	ROW("vsyscall, between", "\xff\xe0", .ax = 0xffffffffff600001, .retired = 1,
	    .intel = "signal 11 vector 14 error 14 code 128 address 0 cr2 50050123 at "
		     "ffffffffff600001 sp+0 RF");
	ROW("vsyscall, behind", "\xff\xe0", .ax = 0xffffffffff600c00, .retired = 1,
	    .intel = "signal 11 vector 14 error 14 code 128 address 0 cr2 50050123 at "
		     "ffffffffff600c00 sp+0 RF");
	ROW("vsyscall, nowhere to return to", "\xff\xe0", .ax = 0xffffffffff600400, .retired = 1,
	    .sp = ABSENT,
	    .intel = "signal 11 vector 14 error 14 code 128 address 0 cr2 50050123 at "
		     "ffffffffff600400 sp+0 RF");
	ROW("xsave, misaligned", "\x0f\xae\x20", .ax = RW + 8);
	ROW("xsave, absent", "\x0f\xae\x20", .ax = ABSENT);
	ROW("xrstor, misaligned", "\x0f\xae\x28", .ax = RW + 8);
	ROW("xrstor, bad header", "\x0f\xae\x2b", .bx = RW + 0x400,
	    .code = "\x83\x8b\x08\x02\x00\x00\x7f\x0f\xae\x2b", .bytes = 10, .at = 7, .retired = 1);
	ROW("ret with 66", "\x66\xc3", .push = {ABSENT}, .retired = 1,
	    .intel = "signal 11 vector 14 error 14 code 1 address 50050000 cr2 50050000 at "
		     "50050000 sp+8 RF");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 1 << 16);
	alarm(300);
	bench_start(argc > 1);
	near_transfers();
	direct_transfers();
	beyond();
	far_transfers();
	memory();
	instructions();
	traps();
	system_forms();
	arithmetic();
	(void)argv;
	return 0;
}
