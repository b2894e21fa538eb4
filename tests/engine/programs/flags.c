/* Flags that are more than arithmetic: AC and ID can be changed and seen, across system calls and
 * signals. What is done while AC is set is aligned. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "check.h"

#define AC 0x40000ul
#define ID 0x200000ul

static uint64_t flags(void)
{
	uint64_t f;

	__asm__ volatile("pushfq\n\tpop %0" : "=r"(f));
	return f;
}

static void set_flags(uint64_t f)
{
	__asm__ volatile("push %0\n\tpopfq" : : "r"(f) : "cc", "memory");
}

static long call0(long nr)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr) : "rcx", "r11", "memory");
	return ret;
}

static long call2(long nr, long a, long b)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return ret;
}

static volatile uint64_t in_frame, in_handler;

static void handler(int sig, siginfo_t *info, void *context)
{
	uint64_t now = flags();

	set_flags(now & ~AC);
	in_handler = now;
	in_frame = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
}

static void test_toggle(void)
{
	static volatile uint64_t memory[64];
	const uint64_t before = flags();
	uint64_t with, after, id;
	long pid = getpid(), again;

	set_flags(before | AC);
	for (unsigned i = 0; i < 64; i++) /* records of these are not aligned */
		memory[i] = memory[(i * 7) & 63] + i;
	again = call0(SYS_getpid);
	with = flags();
	set_flags(before);
	after = flags();
	CHECK(with & AC);
	CHECK(!(after & AC));
	CHECK(again == pid);
	set_flags(before ^ ID);
	id = flags();
	set_flags(before);
	CHECK(((id ^ before) & ID) == ID);
	CHECK(((flags() ^ before) & (AC | ID)) == 0);
}

static void test_signal(void)
{
	struct sigaction act = {.sa_flags = SA_SIGINFO};
	const uint64_t before = flags();
	uint64_t with;
	long pid = getpid();

	act.sa_sigaction = handler;
	sigaction(SIGUSR1, &act, NULL);
	set_flags(before | AC);
	call2(SYS_kill, pid, SIGUSR1);
	with = flags();
	set_flags(before);
	CHECK(in_frame & AC);
	CHECK(in_handler & AC);
	CHECK(with & AC); /* as the frame says */
}

/* PUSHF of 16 bits, and the unaligned accesses that programs do all day. */
static void test_forms(void)
{
	uint64_t sum = 0, sp, sp2;
	uint16_t low;
	char text[64] = "unaligned accesses are fine while AC is clear";

	__asm__ volatile("mov %%rsp, %1\n\tpushfw\n\tmov %%rsp, %2\n\tpopw %0"
			 : "=r"(low), "=r"(sp), "=r"(sp2));
	CHECK(sp - sp2 == 2);
	CHECK((low & 0x202) == 0x202);
	for (unsigned i = 0; i < 40; i++) {
		uint64_t piece;

		memcpy(&piece, text + i, 8);
		sum += piece;
	}
	CHECK(sum != 0);
}

int main(void)
{
	test_toggle();
	test_signal();
	test_forms();
	return check_end();
}
