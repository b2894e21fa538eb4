/* Faults of 32-bit code: what the handler is told, and that code goes on where the handler says. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../programs/check.h"

static sigjmp_buf back;
static volatile int code, trapno, error, got, skip;
static volatile uint32_t address, eip, cr2;

static void note(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;

	got = sig;
	code = info->si_code;
	address = (uint32_t)info->si_addr;
	eip = (uint32_t)r[REG_EIP];
	trapno = (int)r[REG_TRAPNO];
	error = (int)r[REG_ERR];
	cr2 = (uint32_t)uc->uc_mcontext.cr2;
	if (skip < 0)
		siglongjmp(back, 1);
	r[REG_EIP] += skip;
}

static void repair(int sig, siginfo_t *info, void *context)
{
	got++;
	address = (uint32_t)info->si_addr;
	mprotect((void *)(address & ~4095u), 4096, PROT_READ | PROT_WRITE);
}

static void set(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction a = {.sa_sigaction = fn, .sa_flags = SA_SIGINFO};

	sigaction(sig, &a, NULL);
}

/* Execute `text` with a, c, d in eax, ecx, edx; what raises is at label 1 and `bytes` long. `at`
 * receives its address. */
#define TRY(at, bytes, text, a, c, d)                                                              \
	do {                                                                                       \
		uint32_t eax = (uint32_t)(a), ecx = (uint32_t)(c), edx = (uint32_t)(d);            \
		got = code = trapno = error = -1;                                                  \
		skip = bytes;                                                                      \
		__asm__ volatile("call 9f\n9:\tpopl %0\n\taddl $1f - 9b, %0\n" text                \
				 : "=&S"(at), "+a"(eax), "+c"(ecx), "+d"(edx)                      \
				 :                                                                 \
				 : "cc", "memory");                                                \
	} while (0)

static void test_traps(void)
{
	static const int bounds[2] = {10, 20};
	static const uint16_t word_bounds[2] = {(uint16_t)-5, 5};
	uint32_t at;
	int left;

	TRY(at, 2, "1:\tdiv %%ecx", 5, 0, 7);
	CHECK(got == SIGFPE && code == FPE_INTDIV && address == at && eip == at && trapno == 0);
	TRY(at, 2, "1:\t.byte 0xd4, 0", 0x1234, 0, 0); /* aam 0 */
	CHECK(got == SIGFPE && code == FPE_INTDIV && address == at && eip == at && trapno == 0);
	TRY(at, 2, "1:\tud2", 0, 0, 0);
	CHECK(got == SIGILL && code == ILL_ILLOPN && address == at && eip == at && trapno == 6);
	TRY(at, 0, "1:\tint3", 0, 0, 0);
	CHECK(got == SIGTRAP && code == SI_KERNEL && eip == at + 1 && trapno == 3);
	TRY(at, 0, "1:\t.byte 0xcd, 3", 0, 0, 0);
	CHECK(got == SIGTRAP && code == SI_KERNEL && eip == at + 2 && trapno == 3);
	TRY(at, 0, "1:\t.byte 0xcd, 4", 0, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && address == 0 && eip == at + 2 && trapno == 4);
	TRY(at, 0, "movl $0x7fffffff, %%ecx\n\tincl %%ecx\n1:\tinto", 0, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && eip == at + 1 && trapno == 4);
	TRY(at, 0, "xorl %%ecx, %%ecx\n1:\tinto", 0, 0, 0);
	CHECK(got == -1);
	TRY(at, 2, "1:\tboundl %%ecx, (%%edx)", 0, 21, bounds);
	CHECK(got == SIGSEGV && code == SI_KERNEL && eip == at && trapno == 5);
	for (int i = 8; i < 23; i++) {
		TRY(at, 2, "1:\tboundl %%ecx, (%%edx)", 0, i, bounds);
		CHECK((got == SIGSEGV) == (i < 10 || i > 20));
	}
	for (int i = -7; i < 8; i++) {
		TRY(at, 3, "1:\tboundw %%cx, (%%edx)", 0, i, word_bounds);
		CHECK((got == SIGSEGV) == (i < -5 || i > 5));
	}
	TRY(at, 1, "1:\thlt", 0, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && address == 0 && eip == at && trapno == 13 &&
	      error == 0);
	TRY(at, 2, "1:\t.byte 0xcd, 0xfd", 0, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && address == 0 && eip == at && trapno == 13 &&
	      error == 0xfd * 8 + 2);
	TRY(at, 2, "1:\t.byte 0xcd, 5", 0, 0, 0);
	CHECK(got == SIGSEGV && eip == at && trapno == 13 && error == 5 * 8 + 2);
	TRY(at, 2, "1:\tmovl %%eax, %%es", 0x1233, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && eip == at && trapno == 13 && error == 0x1230);
	TRY(at, 2, "1:\tmovl %%eax, %%ss", 0, 0, 0);
	CHECK(got == SIGSEGV && code == SI_KERNEL && eip == at && trapno == 13 && error == 0);
	TRY(at, 2, "1:\tmovl %%eax, %%ss", 0x23, 0, 0);
	CHECK(got == SIGSEGV && eip == at && trapno == 13 && error == 0x20);
	TRY(at, 4, "pushl $0x7777\n1:\tpopl %%es\n\tjmp 2f\n\tnop\n2:\taddl $4, %%esp", 0, 0, 0);
	CHECK(got == SIGSEGV && eip == at && trapno == 13 && error == 0x7774);
	left = 0;
	TRY(at, 2, "1:\t.byte 0x8e, 0xc9\n\tincl (%%edx)", 0, 0, &left); /* mov cs, ecx */
	CHECK(got == SIGILL && eip == at && left == 1);
}

static void test_memory(void)
{
	char *page = mmap(NULL, 4 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static const uint32_t far[] = {0, 16, 0x5000, 0xfffffff0, 0xffffffff};

	skip = -1;
	for (unsigned i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		if (sigsetjmp(back, 1) == 0)
			*(volatile char *)far[i] = 1;
		CHECK(got == SIGSEGV && code == SEGV_MAPERR && address == far[i] && cr2 == far[i] &&
		      trapno == 14 && error == 6);
		got = 0;
	}
	if (sigsetjmp(back, 1) == 0)
		((void (*)(void))0x12345)();
	CHECK(got == SIGSEGV && code == SEGV_MAPERR && address == 0x12345 && eip == 0x12345);
	if (sigsetjmp(back, 1) == 0)
		((void (*)(void))page)();
	CHECK(got == SIGSEGV && code == SEGV_ACCERR && address == (uint32_t)page);
	if (sigsetjmp(back, 1) == 0) /* base and index wrap around 4 GiB */
		__asm__ volatile("movl (%0, %1, 8), %%eax"
				 :
				 : "r"(page - 0x10000), "r"(0xe0002000u)
				 : "eax");
	CHECK(got == SIGSEGV && address == (uint32_t)page);
	set(SIGSEGV, repair);
	got = 0;
	for (int i = 0; i < 4; i++)
		page[i * 4096 + i] = (char)(i + 1);
	CHECK(got == 4 && address == (uint32_t)page + 3 * 4096 + 3 && page[4096 + 1] == 2);
	mprotect(page, 4 * 4096, PROT_NONE);
	got = 0;
	__asm__ volatile("pushal\n\tmovl %%eax, %%edi\n\tmovl $16384, %%ecx\n\tmovb $9, "
			 "%%al\n\trep stosb\n\tpopal"
			 :
			 : "a"(page)
			 : "memory");
	CHECK(got == 4 && page[0] == 9 && page[16383] == 9);
}

int main(void)
{
	set(SIGFPE, note);
	set(SIGILL, note);
	set(SIGTRAP, note);
	set(SIGSEGV, note);
	test_traps();
	test_memory();
	return check_end();
}
