/* A 32-bit program that steps itself with TF: how often it traps, and where. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../programs/check.h"

#define SET_TF	 "pushf\n orl $0x100, (%%esp)\n popf\n"
#define CLEAR_TF "pushf\n andl $~0x100, (%%esp)\n popf\n"

static volatile int traps, wrong;
static volatile uint32_t order, base;

static void trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint32_t pc = (uint32_t)uc->uc_mcontext.gregs[REG_EIP];

	if (!base)
		base = pc;
	traps++;
	wrong += info->si_code != TRAP_TRACE || (uint32_t)info->si_addr != pc ||
		 uc->uc_mcontext.gregs[REG_TRAPNO] != 1;
	order = order * 31 + (pc - base < 4096 ? pc - base : 5000) +
		((uint32_t)uc->uc_mcontext.gregs[REG_EFL] & 0x100);
}

static void show(const char *what)
{
	printf("%s: %d traps, %08x\n", what, traps, order);
	CHECK(wrong == 0);
	traps = 0;
	order = base = 0;
}

static char from[16] = "twelve bytes", to[16];

int main(void)
{
	struct sigaction sa = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
	uint32_t sum = 0, n = 5, pid = SYS_getpid;
	void *source = from, *target = to;

	sigaction(SIGTRAP, &sa, NULL);
	__asm__ volatile(SET_TF "nop\n nop\n" CLEAR_TF : : : "memory", "cc");
	CHECK(traps == 5);
	show("straight on");
	__asm__ volatile(SET_TF "1: add %1, %0\n dec %1\n jnz 1b\n" CLEAR_TF
			 : "+r"(sum), "+r"(n)
			 :
			 : "memory", "cc");
	CHECK(sum == 15);
	show("a loop");
	n = 12;
	__asm__ volatile(
	    SET_TF "rep movsb\n push %%eax\n pop %%eax\n call 1f\n jmp 2f\n 1: ret\n 2:\n" CLEAR_TF
	    : "+S"(source), "+D"(target), "+c"(n)
	    :
	    : "memory", "cc");
	CHECK(memcmp(from, to, 12) == 0);
	show("a repeated move, the stack");
	__asm__ volatile(SET_TF "mov $0x12, %%al\n daa\n xor %%eax, %%eax\n cpuid\n" CLEAR_TF
			 :
			 :
			 : "eax", "ebx", "ecx", "edx", "memory", "cc");
	show("instructions of the runtime");
	__asm__ volatile(SET_TF "int $0x80\n nop\n nop\n" CLEAR_TF : "+a"(pid) : : "memory", "cc");
	CHECK(pid == (uint32_t)getpid());
	show("a system call");
	__asm__ volatile("mov %%ss, %%eax\n" SET_TF
			 "mov %%eax, %%ss\n nop\n push %%eax\n pop %%ss\n nop\n" CLEAR_TF
			 :
			 :
			 : "eax", "memory", "cc");
	CHECK(traps == 6);
	show("loads of SS");
	__asm__ volatile("pushf\n orl $0x100, (%%esp)\n push %%cs\n call 2f\n jmp 1f\n 2: iret\n "
			 "1: nop\n nop\n nop\n" CLEAR_TF
			 :
			 :
			 : "memory", "cc");
	CHECK(traps == 7);
	show("set by iret");
	__asm__ volatile(SET_TF
			 "pushf\n push %%cs\n call 2f\n jmp 1f\n 2: iret\n 1: nop\n nop\n" CLEAR_TF
			 :
			 :
			 : "memory", "cc");
	show("kept by iret");
	__asm__ volatile(SET_TF "pushf\n andl $~0x100, (%%esp)\n push %%cs\n call 2f\n jmp 1f\n 2: "
				"iret\n 1: nop\n nop\n"
			 :
			 :
			 : "memory", "cc");
	show("cleared by iret");
	return check_end();
}
