/* Sticky flags of x87 and SSE, control words, registers and flags around floating-point
 * instructions, also when one of them faults: what the engine does to classify operands must not
 * show. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

#define DE 2
#define UE 16
#define SF 64

static float tiny = 1e-40f, one = 1, least = 1.17549435e-38f;
static double tiny64 = 4e-320;
static sigjmp_buf back;
static unsigned seen_fsw, seen_mxcsr, seen_code;

static unsigned fsw(void)
{
	uint16_t v;

	__asm__ volatile("fnstsw %0" : "=m"(v));
	return v;
}

static unsigned mxcsr(void)
{
	uint32_t v;

	__asm__ volatile("stmxcsr %0" : "=m"(v));
	return v;
}

static void set_mxcsr(uint32_t v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v));
}

static void set_fcw(uint16_t v)
{
	__asm__ volatile("fldcw %0" : : "m"(v));
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	seen_fsw = uc->uc_mcontext.fpregs->swd;
	seen_mxcsr = uc->uc_mcontext.fpregs->mxcsr;
	seen_code = (unsigned)(sig << 8 | info->si_code);
	siglongjmp(back, 1);
}

static void x87(void)
{
	uint16_t fcw;

	__asm__ volatile("fninit");
	CHECK((fsw() & 0x7f) == 0);
	__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(one));
	CHECK((fsw() & 0x7f) == 0);
	__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(tiny));
	CHECK((fsw() & 0x7f) == DE);
	__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(one)); /* stays */
	CHECK((fsw() & 0x7f) == DE);
	__asm__ volatile("fldl %0; fstp %%st(0)" : : "m"(tiny64));
	CHECK((fsw() & 0x7f) == DE);
	__asm__ volatile("fnclex");
	CHECK((fsw() & 0x7f) == 0);
	__asm__ volatile("fstp %%st(0)" : :); /* empty */
	CHECK((fsw() & 0x7f) == (SF | 1));
	__asm__ volatile("fld1; fstp %%st(0)" : :);
	CHECK((fsw() & 0x7f) == (SF | 1));
	__asm__ volatile("fnstcw %0" : "=m"(fcw));
	CHECK(fcw == 0x37f);
	__asm__ volatile("fninit");
}

static void sse(void)
{
	float r = one;

	set_mxcsr(0x1f80);
	__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(one));
	CHECK((mxcsr() & 0x3f) == 0);
	__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(tiny));
	CHECK(mxcsr() == (0x1f80 | DE));
	r = one;
	__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(one));
	CHECK(mxcsr() == (0x1f80 | DE));
	r = least;
	__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(least));
	CHECK((mxcsr() & 0x3f) == (DE | UE | 32));
	CHECK(r == 0);
	set_mxcsr(0x1f80);
}

/* Registers and flags live across instructions with and without flags to put back. */
static void around(void)
{
	for (int i = 0; i < 4; i++) {
		uint64_t rcx = 0x1122334455667788, rax = 0x99aabbccddeeff00;
		uint8_t z, c, o;

		if (i == 1)
			__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(tiny));
		if (i == 2)
			set_mxcsr(0x1f80 | DE);
		__asm__ volatile(
		    "movb $127, %%dl; addb $1, %%dl; stc; flds %5; fadds %5; fstps -8(%%rsp)\n\t"
		    "movss %5, %%xmm1; addss %6, %%xmm1; seto %2; setc %3; setz %4"
		    : "+c"(rcx), "+a"(rax), "=r"(o), "=r"(c), "=r"(z)
		    : "m"(one), "m"(tiny)
		    : "rdx", "xmm1", "memory");
		CHECK(rcx == 0x1122334455667788 && rax == 0x99aabbccddeeff00);
		CHECK(o == 1 && c == 1 && z == 0);
		CHECK((fsw() & 0x7f) == (i >= 1 ? DE : 0));
	}
	__asm__ volatile("fninit");
	set_mxcsr(0x1f80);
}

static void faults(void)
{
	struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
	float *none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), r = one;

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGFPE, &act, NULL);
	__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(tiny));
	if (!sigsetjmp(back, 1))
		__asm__ volatile("flds %0" : : "m"(*none));
	CHECK(seen_code >> 8 == SIGSEGV && (seen_fsw & 0x7f) == DE);
	set_mxcsr(0x1f80 | DE);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(*none));
	CHECK(seen_code >> 8 == SIGSEGV && (seen_mxcsr & 0x3f) == DE);
	/* exceptions that are not masked */
	set_mxcsr(0x1f80 & ~(DE << 7));
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mulss %1, %0" : "+x"(r) : "m"(tiny));
	CHECK(seen_code == (SIGFPE << 8 | FPE_FLTUND) || seen_code >> 8 == SIGFPE);
	CHECK((seen_mxcsr & 0x3f) == DE);
	set_mxcsr(0x1f80);
	__asm__ volatile("fninit");
	set_fcw(0x37f & ~DE);
	seen_code = 0;
	if (!sigsetjmp(back, 1))
		__asm__ volatile("flds %0; fld1; fwait" : : "m"(tiny));
	CHECK(seen_code >> 8 == SIGFPE && (seen_fsw & 0xff) == (0x80 | DE));
	__asm__ volatile("fninit");
	/* a flag of long ago raises what is unmasked now */
	__asm__ volatile("flds %0; fstp %%st(0); fld1; fstp %%st(0)" : : "m"(tiny));
	seen_code = 0;
	if (!sigsetjmp(back, 1)) {
		set_fcw(0x37f & ~DE);
		__asm__ volatile("fwait");
	}
	CHECK(seen_code >> 8 == SIGFPE && (seen_fsw & 0xff) == (0x80 | DE));
	__asm__ volatile("fninit");
	/* and a handler sees it */
	__asm__ volatile("flds %0; fstp %%st(0); fld1; fstp %%st(0)" : : "m"(tiny));
	r = one;
	__asm__ volatile("mulss %1, %0; mulss %2, %0" : "+x"(r) : "m"(tiny), "m"(one));
	if (!sigsetjmp(back, 1))
		raise(SIGFPE);
	CHECK((seen_fsw & 0x7f) == DE && (seen_mxcsr & DE));
	set_mxcsr(0x1f80);
	__asm__ volatile("fninit");
	set_fcw(0x37f & ~4);					 /* ZE */
	__asm__ volatile("flds %0; fstp %%st(0)" : : "m"(tiny)); /* DE, masked */
	seen_code = 0;
	if (!sigsetjmp(back, 1))
		__asm__ volatile("fldz; fld1; fdivp; fwait");
	CHECK(seen_code >> 8 == SIGFPE && (seen_fsw & 0xff) == (0x80 | 4 | DE));
	__asm__ volatile("fninit");
}

int main(void)
{
	x87();
	sse();
	around();
	faults();
	return check_end();
}
