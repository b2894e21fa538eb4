/* Signal frames of both kinds as a 32-bit program finds them, what a handler may change in them,
 * and handlers set by the old calls, with and without code of their own to return. */
#define _GNU_SOURCE
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "../programs/check.h"

static volatile uint32_t seen[8], seen_flags, selectors[6];
static volatile int count, last, is_aligned, depth, value;
static sigjmp_buf back;

/* The words of struct sigcontext of i386. */
enum {
	C_GS,
	C_FS,
	C_ES,
	C_DS,
	C_EDI,
	C_ESI,
	C_EBP,
	C_ESP,
	C_EBX,
	C_EDX,
	C_ECX,
	C_EAX,
	C_TRAPNO,
	C_ERR,
	C_EIP,
	C_CS,
	C_FLAGS,
	C_ESP_AT,
	C_SS,
	C_FP,
	C_MASK,
	C_CR2
};

static void registers(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *r = uc->uc_mcontext.gregs;
	static const int regs[8] = {REG_EAX, REG_ECX, REG_EDX, REG_EBX,
				    REG_ESP, REG_EBP, REG_ESI, REG_EDI};

	count++;
	for (int i = 0; i < 8; i++)
		seen[i] = (uint32_t)r[regs[i]];
	seen_flags = (uint32_t)r[REG_EFL];
	selectors[0] = (uint32_t)r[REG_CS], selectors[1] = (uint32_t)r[REG_SS];
	selectors[2] = (uint32_t)r[REG_DS], selectors[3] = (uint32_t)r[REG_ES];
	selectors[4] = (uint32_t)r[REG_FS], selectors[5] = (uint32_t)r[REG_GS];
	is_aligned = ((uintptr_t)__builtin_frame_address(0) & 15) == 8;
	CHECK(r[REG_ESP] == r[REG_UESP] && r[REG_TRAPNO] == 6);
	CHECK((void *)((uint32_t *)context - 32) == (void *)info); /* one behind the other */
	CHECK(((uint16_t *)uc->uc_mcontext.fpregs)[55] == 0);	   /* an FXSAVE image follows */
	CHECK(((uintptr_t)uc->uc_mcontext.fpregs + 112) % 64 == 0);
	r[REG_EIP] += 2;
	r[REG_EDI] = 0xdddd;
	r[REG_EFL] |= 1;
	__asm__ volatile("xorps %xmm0, %xmm0; fldz; fldpi; fstp %st; fstp %st");
}

static void test_registers(void)
{
	struct sigaction a = {.sa_sigaction = registers, .sa_flags = SA_SIGINFO};
	uint32_t edi, carry = 0, xmm = 0x77, sp;
	uint16_t is[6];
	double fp;

	sigaction(SIGILL, &a, NULL);
	__asm__ volatile(
	    "mov %%cs, %0; mov %%ss, %1; mov %%ds, %2; mov %%es, %3; mov %%fs, %4; mov %%gs, %5"
	    : "=m"(is[0]), "=m"(is[1]), "=m"(is[2]), "=m"(is[3]), "=m"(is[4]), "=m"(is[5]));
	CHECK(is[0] == 0x23 && is[1] == 0x2b && is[2] == 0x2b && is[3] == 0x2b && is[4] == 0 &&
	      is[5] == 0x63);
	__asm__ volatile(
	    "mov %%esp, %4\n\tmovss %2, %%xmm0\n\tfld1\n\tfldpi\n\t"
	    "mov $0x1111, %%eax\n\tmov $0x2222, %%ecx\n\tmov $0x3333, %%edx\n\tmov $0x6666, "
	    "%%esi\n\t"
	    "mov $0x7777, %%edi\n\tclc\n\tud2\n\tadcl $0, %1\n\tmov %%edi, %0\n\tmovss %%xmm0, "
	    "%2\n\t"
	    "faddp\n\tfstpl %3" /* no clobber of xmm0: the compiler does not know it on i686 */
	    : "=m"(edi), "+m"(carry), "+m"(xmm), "=m"(fp), "=m"(sp)
	    :
	    : "eax", "ecx", "edx", "esi", "edi", "memory", "cc");
	CHECK(count == 1 && seen[0] == 0x1111 && seen[1] == 0x2222 && seen[2] == 0x3333 &&
	      seen[6] == 0x6666);
	CHECK(seen[7] == 0x7777 && seen[4] == sp && (seen_flags & 1) == 0 &&
	      (seen_flags & 0x10000));
	CHECK(edi == 0xdddd && carry == 1 && xmm == 0x77 && fp > 4.14159 && fp < 4.1416);
	for (int i = 0; i < 6; i++)
		CHECK(selectors[i] == is[i]);
}

/* Without SA_SIGINFO: the signal, then struct sigcontext, on the stack. */
static void plain(int sig)
{
	uint32_t *frame = (uint32_t *)&sig - 1, *c = frame + 2, *fp = (uint32_t *)c[C_FP];

	count++;
	last = sig;
	CHECK(((uintptr_t)frame & 15) == 12 && c[C_CS] == 0x23 && c[C_SS] == 0x2b &&
	      c[C_GS] == 0x63);
	CHECK(c[C_ESP] == c[C_ESP_AT] && (uintptr_t)fp > (uintptr_t)frame + 732 - 1);
	CHECK(((uint8_t *)frame)[724] == 0x58 && ((uint8_t *)frame)[725] == 0xb8 &&
	      ((uint8_t *)frame)[726] == 119);
	CHECK((fp[0] & 0xffff) == 0x37f);
	fp[0] = (fp[0] & ~0xffffu) | 0x27f; /* precision control: double */
}

static void test_plain(void)
{
	struct sigaction a = {.sa_handler = plain};
	uint16_t control = 0;

	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, 40); /* in the second word */
	sigaction(SIGUSR1, &a, NULL);
	count = 0;
	__asm__ volatile("fninit");
	raise(SIGUSR1);
	__asm__ volatile("fnstcw %0; fninit" : "=m"(control));
	CHECK(count == 1 && last == SIGUSR1 && control == 0x27f);
}

/* The calls themselves: number in eax. */
static long call(long nr, long a, long b, long c, long d)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "0"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return ret;
}

struct old_action {
	void *handler;
	unsigned long mask, flags;
	void *restorer;
};

struct new_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask[2];
};

static void just_count(int sig)
{
	count++;
	last = sig;
}

static void note_mask(int sig)
{
	unsigned long now = 0;

	count++;
	call(SYS_sigprocmask, SIG_BLOCK, 0, (long)&now, 0);
	value = (int)now;
}

static void test_old_calls(void)
{
	struct old_action o = {.handler = note_mask, .mask = 1u << (SIGHUP - 1)}, was;
	struct new_action n = {.handler = just_count}, wasn;
	unsigned long set = 1u << (SIGUSR2 - 1), pending = 0, old = 0;

	count = 0;
	CHECK(call(SYS_sigaction, SIGUSR1, (long)&o, 0, 0) == 0);
	CHECK(call(SYS_sigaction, SIGUSR1, 0, (long)&was, 0) == 0 &&
	      was.handler == (void *)note_mask && was.mask == o.mask && was.flags == 0);
	raise(SIGUSR1); /* no restorer: the kernel's own way back */
	CHECK(count == 1 && value == (1 << (SIGHUP - 1) | 1 << (SIGUSR1 - 1)));
	CHECK(call(SYS_rt_sigaction, SIGUSR1, (long)&n, (long)&wasn, 8) == 0 &&
	      wasn.handler == (void *)note_mask && wasn.mask[0] == o.mask && wasn.mask[1] == 0);
	raise(SIGUSR1);
	CHECK(count == 2);
	n.flags = SA_SIGINFO;
	CHECK(call(SYS_rt_sigaction, SIGUSR1, (long)&n, 0, 8) == 0);
	raise(SIGUSR1);
	CHECK(count == 3);
	CHECK(call(SYS_rt_sigaction, SIGUSR1, (long)&n, 0, 4) == -EINVAL);
	CHECK(call(SYS_signal, SIGUSR1, (long)just_count, 0, 0) == (long)just_count);
	raise(SIGUSR1);
	CHECK(count == 4);
	CHECK(call(SYS_signal, SIGUSR1, (long)just_count, 0, 0) ==
	      0); /* back to the default after one */
	CHECK(call(SYS_sigprocmask, SIG_BLOCK, (long)&set, (long)&old, 0) == 0 && old == 0);
	CHECK(call(SYS_signal, SIGUSR2, (long)just_count, 0, 0) == 0);
	raise(SIGUSR2);
	CHECK(call(SYS_sigpending, (long)&pending, 0, 0, 0) == 0 && pending == set && count == 4);
	CHECK(call(SYS_sgetmask, 0, 0, 0, 0) == (long)set);
	CHECK(call(SYS_sigsuspend, 0, 0, 0, 0) == -EINTR && count == 5 && last == SIGUSR2);
	CHECK(call(SYS_ssetmask, 0, 0, 0, 0) == (long)set && call(SYS_sgetmask, 0, 0, 0, 0) == 0);
}

static void nested(int sig, siginfo_t *info, void *context)
{
	double here = depth * 1.5;

	depth++;
	if (depth < 6)
		sigqueue(getpid(), sig, (union sigval){.sival_int = depth});
	CHECK(info->si_code == SI_QUEUE && info->si_pid == getpid());
	depth--;
	value += info->si_value.sival_int + (int)here;
}

static void jump(int sig)
{
	siglongjmp(back, sig);
}

static void timer(int sig, siginfo_t *info, void *context)
{
	count++;
	value = info->si_value.sival_int;
	CHECK(info->si_code == SI_TIMER && info->si_overrun >= 0);
}

static void test_info(void)
{
	struct sigaction a = {.sa_sigaction = nested, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigevent e = {
	    .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2, .sigev_value.sival_int = 99};
	struct itimerspec t = {.it_value.tv_nsec = 1000000};
	struct timespec wait = {5, 0};
	siginfo_t info;
	sigset_t set;
	timer_t id;

	value = 0;
	sigaction(SIGRTMIN + 1, &a, NULL);
	sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 1000});
	CHECK(value == 1000 + 1 + 2 + 3 + 4 + 5 + 0 + 1 + 3 + 4 + 6 + 7);
	for (int i = 0; i < 3; i++) {
		signal(SIGUSR1, jump);
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		else
			count = i;
	}
	CHECK(count == 2);
	a.sa_sigaction = timer;
	sigaction(SIGRTMIN + 2, &a, NULL);
	count = 0;
	CHECK(timer_create(CLOCK_MONOTONIC, &e, &id) == 0 && timer_settime(id, 0, &t, NULL) == 0);
	while (count == 0)
		;
	CHECK(value == 99 && timer_delete(id) == 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 4711});
	CHECK(sigtimedwait(&set, &info, &wait) == SIGUSR2 && info.si_value.sival_int == 4711 &&
	      info.si_code == SI_QUEUE && info.si_pid == getpid());
	sigaddset(&set, SIGSEGV); /* one that the runtime keeps itself */
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGSEGV, (union sigval){.sival_int = 4712});
	CHECK(sigtimedwait(&set, &info, &wait) == SIGSEGV && info.si_value.sival_int == 4712);
}

int main(void)
{
	test_registers();
	test_plain();
	test_old_calls();
	test_info();
	return check_end();
}
