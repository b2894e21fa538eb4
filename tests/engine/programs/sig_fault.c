/* Faults: handlers that repair and retry, that skip, that jump away; what they see. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

static sigjmp_buf back;
static char *page;
static volatile int faults, code, trapno;
static void *volatile address;
static volatile uint64_t seen[16], seen_rip;

static void repair(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	faults++;
	code = info->si_code;
	address = info->si_addr;
	trapno = (int)uc->uc_mcontext.gregs[REG_TRAPNO];
	mprotect((void *)((uintptr_t)info->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void jump(int sig, siginfo_t *info, void *context)
{
	faults++;
	code = info->si_code;
	address = info->si_addr;
	siglongjmp(back, sig);
}

/* Skip two bytes: ud2, or div ecx. */
static void skip2(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	faults++;
	code = info->si_code;
	address = info->si_addr;
	seen_rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static void note_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	faults++;
	code = info->si_code;
	seen_rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
}

/* Keep what the registers were; change r15 and xmm0 for the interrupted code. */
static void registers(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;
	static const int regs[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,	REG_R9,	 REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15};

	faults++;
	for (int i = 0; i < 16; i++)
		seen[i] = (uint64_t)r[regs[i]];
	r[REG_RIP] += 2;
	r[REG_R15] = 0x1515;
	r[REG_RBX] = 0xbb;
	uc->uc_mcontext.fpregs->_xmm[0].element[0] = 77;
	__asm__ volatile("pcmpeqb %%xmm0, %%xmm0; pcmpeqb %%xmm1, %%xmm1; fldz"
			 :
			 :
			 : "xmm0", "xmm1");
}

static void set(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction a = {.sa_sigaction = fn, .sa_flags = SA_SIGINFO};

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

static void test_repair(void)
{
	page = mmap(NULL, 8 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	set(SIGSEGV, repair);
	faults = 0;
	for (int i = 0; i < 8; i++)
		page[i * 4096 + i] = (char)(i + 1);
	CHECK(faults == 8 && code == SEGV_ACCERR && address == page + 7 * 4096 + 7 && trapno == 14);
	for (int i = 0; i < 8; i++)
		CHECK(page[i * 4096 + i] == i + 1);
	mprotect(page, 8 * 4096, PROT_NONE);
	faults = 0;
	CHECK(*(volatile char *)(page + 4097) == 2);
	memset(page, 9, 8 * 4096); /* a string instruction that is interrupted eight times */
	for (int i = 0; i < 8 * 4096; i++)
		if (page[i] != 9)
			CHECK(!"memset is complete");
	CHECK(faults >= 7 && faults <= 8);
}

static void test_jump(void)
{
	volatile int sig;

	set(SIGSEGV, jump);
	for (int i = 0; i < 3; i++) {
		sig = sigsetjmp(back, 1);
		if (sig == 0)
			*(volatile int *)(uintptr_t)(16 + i) = 1;
		CHECK(sig == SIGSEGV && code == SEGV_MAPERR &&
		      address == (void *)(uintptr_t)(16 + i));
	}
	sig = sigsetjmp(back, 1);
	if (sig == 0)
		((void (*)(void))0x12345)();
	CHECK(sig == SIGSEGV && code == SEGV_MAPERR && address == (void *)0x12345);
	sig = sigsetjmp(back, 1);
	if (sig == 0)
		((void (*)(void))page)();
	CHECK(sig == SIGSEGV && code == SEGV_ACCERR && address == page);
	sig = sigsetjmp(back, 1);
	if (sig == 0)
		*(volatile int *)0x8000000000000000ull = 1;
	CHECK(sig == SIGSEGV && code == SI_KERNEL && address == NULL);
	sig = sigsetjmp(back, 1);
	if (sig == 0)
		__asm__ volatile("hlt");
	CHECK(sig == SIGSEGV && code == SI_KERNEL && address == NULL);
}

static void test_bus(void)
{
	FILE *f = tmpfile();
	char *map;
	volatile int sig;

	set(SIGBUS, jump);
	map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
	sig = sigsetjmp(back, 1);
	if (sig == 0)
		map[4096] = 1;
	CHECK(sig == SIGBUS && code == BUS_ADRERR && address == map + 4096);
	fclose(f);
}

static void test_skip(void)
{
	uint64_t at_div, at_ud, at_int;
	uint32_t left = 5;

	set(SIGFPE, skip2);
	set(SIGILL, skip2);
	set(SIGTRAP, note_trap);
	faults = 0;
	__asm__ volatile(
	    "lea 1f(%%rip), %0\n\txor %%ecx, %%ecx\n\tmov $5, %%eax\n\txor %%edx, %%edx\n"
	    "1:\tdiv %%ecx\n\tmov %%eax, %1"
	    : "=&r"(at_div), "=&r"(left)
	    :
	    : "eax", "ecx", "edx", "cc");
	CHECK(faults == 1 && code == FPE_INTDIV && (uint64_t)address == at_div &&
	      seen_rip == at_div);
	CHECK(left == 5);
	__asm__ volatile("lea 1f(%%rip), %0\n1:\tud2" : "=r"(at_ud));
	CHECK(faults == 2 && code == ILL_ILLOPN && (uint64_t)address == at_ud && seen_rip == at_ud);
	__asm__ volatile("lea 1f(%%rip), %0\n\tint3\n1:" : "=r"(at_int));
	CHECK(faults == 3 && code == SI_KERNEL && seen_rip == at_int);
}

/* The instruction behind a repeated one faults, in the same stretch of code. */
static void test_behind_string(void)
{
	static char to[32];
	void *target = to;
	const void *source = "twelve bytes";
	uint64_t n = 12;

	set(SIGILL, skip2);
	faults = 0;
	__asm__ volatile("rep movsb\n\tmov %%rdi, %%rax\n\tud2\n\tmov $3, %%ecx\n\trep stosb"
			 : "+D"(target), "+S"(source), "+c"(n)
			 :
			 : "rax", "memory");
	CHECK(faults == 1 && memcmp(to, "twelve bytes", 12) == 0 && target == to + 15 && n == 0);
}

static void test_registers(void)
{
	uint64_t out[4];
	uint32_t xmm[4];

	set(SIGILL, registers);
	faults = 0;
	__asm__ volatile(
	    "movd %[one], %%xmm0\n\tpshufd $0, %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm1\n\t"
	    "mov $0x1111, %%eax\n\tmov $0x2222, %%ecx\n\tmov $0x3333, %%edx\n\t"
	    "mov $0x4444, %%ebx\n\tmov $0x8888, %%r8d\n\tmov $0xcccc, %%r12d\n\t"
	    "mov $0xffff1234, %%r15d\n\tstc\n\tud2\n\t"
	    "sbb %%rsi, %%rsi\n\tmov %%r15, 0(%[out])\n\tmov %%rbx, 8(%[out])\n\t"
	    "mov %%rsi, 16(%[out])\n\tmov %%r12, 24(%[out])\n\tpaddd %%xmm1, %%xmm0\n\t"
	    "movdqu %%xmm0, (%[xmm])"
	    :
	    : [out] "D"(out), [xmm] "r"(xmm), [one] "r"(1)
	    : "rax", "rcx", "rdx", "rbx", "rsi", "r8", "r12", "r15", "xmm0", "xmm1", "memory",
	      "cc");
	CHECK(faults == 1);
	CHECK(seen[0] == 0x1111 && seen[1] == 0x2222 && seen[2] == 0x3333 && seen[3] == 0x4444);
	CHECK(seen[8] == 0x8888 && seen[12] == 0xcccc && seen[15] == 0xffff1234);
	CHECK(out[0] == 0x1515 && out[1] == 0xbb && out[2] == ~0ull && out[3] == 0xcccc);
	CHECK(xmm[0] == 78 && xmm[1] == 2 && xmm[3] == 2);
}

int main(void)
{
	test_repair();
	test_jump();
	test_bus();
	test_skip();
	test_behind_string();
	test_registers();
	return check_end();
}
