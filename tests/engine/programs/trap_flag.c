/* The program steps itself with TF: where it traps, and what the handler sees and changes. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "check.h"

#define FLAG_TF 0x100

static volatile int traps, last_code, wrong_address;
static volatile uint64_t order; /* of the instructions behind the traps */
static volatile uintptr_t base; /* 0: the one of the first trap */
static volatile int stop_at;	/* trap that takes TF away */

static void trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uintptr_t pc = (uintptr_t)uc->uc_mcontext.gregs[REG_RIP];

	if (!base)
		base = pc;
	traps++;
	last_code = info->si_code;
	wrong_address += (uintptr_t)info->si_addr != pc || uc->uc_mcontext.gregs[REG_TRAPNO] != 1;
	order += (uint64_t)uc->uc_mcontext.gregs[REG_EFL] &
		 FLAG_TF; /* not after the one that clears it */
	order = order * 31 + (pc - base < 4096 ? pc - base : 5000);
	if (traps == stop_at)
		uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)FLAG_TF;
}

#define SET_TF	 "pushfq\n orq $0x100, (%%rsp)\n popfq\n"
#define CLEAR_TF "pushfq\n andq $~0x100, (%%rsp)\n popfq\n"
/* Leaves the red zone alone. */
#define STEPPED(text, ...)                                                                         \
	__asm__ volatile("sub $128, %%rsp\n" SET_TF text CLEAR_TF "add $128, %%rsp\n" __VA_ARGS__)

static void show(const char *what)
{
	printf("%s: %d traps, %016llx\n", what, traps, (unsigned long long)order);
	CHECK(wrong_address == 0 && last_code == TRAP_TRACE);
	traps = 0;
	order = base = 0;
}

static char from[64] = "twelve bytes", to[64];
static double number = 2.25, root;

int main(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	uint64_t sum = 0, n = 5, pid = 0;
	void *source = from, *target = to;
	uint64_t bytes = 12;

	sigaction(SIGTRAP, &sa, NULL);
	STEPPED("nop\n nop\n nop\n", ::: "memory", "cc");
	CHECK(traps == 6); /* three, and those that clear TF again */
	show("straight on");
	STEPPED("1: add %1, %0\n dec %1\n jnz 1b\n", : "+r"(sum), "+r"(n)::"memory", "cc");
	CHECK(sum == 15);
	show("a loop");
	n = 3;
	STEPPED("1: loop 1b\n", : "+c"(n)::"memory", "cc");
	CHECK(traps == 6);
	show("one instruction again and again");
	STEPPED("call 1f\n jmp 2f\n 1: lea 1(%0), %0\n ret\n 2:\n", : "+r"(sum)::"memory", "cc");
	CHECK(sum == 16);
	show("call and return");
	STEPPED("rep movsb\n", : "+S"(source), "+D"(target), "+c"(bytes)::"memory", "cc");
	CHECK(memcmp(from, to, 12) == 0);
	show("a repeated move");
	STEPPED("lea 1f(%%rip), %%rcx\n jmp *%%rcx\n ud2\n 1: xor %%ecx, %%ecx\n rdtsc\n xor "
		"%%eax, %%eax\n",
		::
		    : "rax", "rbx", "rcx", "rdx", "memory", "cc");
	show("instructions of the runtime");
	STEPPED("movsd %1, %%xmm1\n sqrtsd %%xmm1, %%xmm1\n movsd %%xmm1, %0\n push %%r15\n mov "
		"%%rsp, %%r15\n"
		"mov (%%r15), %%r14\n mov %%r14, %%r15\n pop %%r15\n",
		: "=m"(root)
		: "m"(number)
		: "r14", "xmm1", "memory", "cc");
	CHECK(root == 1.5);
	show("registers");
	pid = SYS_getpid;
	STEPPED("syscall\n nop\n nop\n", : "+a"(pid)::"rcx", "r11", "memory", "cc");
	CHECK(pid == (uint64_t)getpid());
	show("a system call");
	stop_at = 2;
	STEPPED("nop\n nop\n nop\n nop\n", ::: "memory", "cc");
	CHECK(traps == 2); /* the handler took TF away */
	show("stopped by the handler");
	stop_at = 0;
	sigaction(SIGTRAP, &sa, NULL);
	for (n = 0; n < 3; n++) {
		STEPPED("lea 3(%0, %0), %0\n cmp $9, %0\n jb 1f\n inc %0\n 1:\n",
			: "+r"(sum)::"memory", "cc");
		show("the same code again");
	}
	return check_end();
}
