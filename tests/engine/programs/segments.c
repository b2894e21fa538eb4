/* Selectors in FS and GS, and far transfers within 64-bit code. FS is put back at once: libc lives
 * by it. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"

static uint64_t base_of(int which)
{
	uint64_t base = 1;

	syscall(SYS_arch_prctl, which == 'f' ? ARCH_GET_FS : ARCH_GET_GS, &base);
	return base;
}

static void test_gs(void)
{
	static uint64_t data[4] = {11, 22, 33, 44};
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) far_pointer = {0x9abcdef0, 0x2b};
	uint16_t word = 0x5a5a;
	uint64_t a = ~0ull, b = ~0ull, c = ~0ull;

	CHECK(!syscall(SYS_arch_prctl, ARCH_SET_GS, data));
	__asm__ volatile("mov %%gs:8, %0" : "=r"(a));
	CHECK(a == 22);
	__asm__ volatile("mov %%gs, %0" : "=r"(a));
	CHECK(a == 0);
	for (int selector = 0; selector < 4; selector++) {
		syscall(SYS_arch_prctl, ARCH_SET_GS, data);
		__asm__ volatile("mov %w1, %%gs\n\tmov %%gs, %0" : "=r"(a) : "r"(selector));
		CHECK(a == (uint64_t)selector);
	}
	__asm__ volatile("mov %w2, %%gs\n\tmov %%gs, %0\n\tmov %%gs, %k1"
			 : "=&r"(a), "=&r"(c)
			 : "r"(0x2b));
	CHECK(a == 0x2b && c == 0x2b);
	CHECK(base_of('g') == 0);
	/* flat now: the address is all */
	__asm__ volatile("mov %%gs:(%1), %0" : "=r"(a) : "r"(&data[2]));
	CHECK(a == 33);
	syscall(SYS_arch_prctl, ARCH_SET_GS, data);
	__asm__ volatile("mov %%gs, %0\n\tmov %%gs, %w1" : "=m"(word), "+r"(b));
	CHECK(word == 0);
	word = 0x33; /* 23h is there with IA-32 emulation alone */
	__asm__ volatile("mov %1, %%gs\n\tmov $-1, %0\n\tmov %%gs, %w0" : "=&r"(a) : "m"(word));
	CHECK(a == 0xffffffffffff0033);
	__asm__ volatile("mov %%rsp, %2\n\tpush $0x2b\n\tpop %%gs\n\tpush %%gs\n\tpop %0\n\tpushw "
			 "%%gs\n\tpopw %w1\n\tsub %%rsp, %2"
			 : "=&r"(a), "+&r"(b), "=&r"(c));
	CHECK(a == 0x2b && (uint16_t)b == 0x2b && c == 0);
	__asm__ volatile("lgs %1, %k0" : "=r"(a) : "m"(far_pointer));
	CHECK(a == 0x9abcdef0);
	__asm__ volatile("mov %1, %%r15\n\txor %%eax, %%eax\n\tmov %%eax, %%gs\n\tmov %%r15, "
			 "%%gs\n\txor %%r15, %%r15\n\tmov %%gs, %%r15\n\tmov %%r15, %0"
			 : "=r"(a)
			 : "r"(0x2bl)
			 : "r15", "rax");
	CHECK(a == 0x2b);
}

static void test_fs(void)
{
	uint64_t fs = base_of('f'), a, b;

	__asm__ volatile(
	    "mov %4, %%fs\n\tmov %%fs, %0\n\tmov $0, %1\n\tmov %%fs:(%3), %1\n\t"
	    "mov %5, %%rsi\n\tmov $0x1002, %%edi\n\tmov $158, %%eax\n\tsyscall\n\tmov %%fs, %2"
	    : "=&r"(a), "=&r"(b), "=&r"(fs)
	    : "r"(&check_done), "r"(0x2b), "r"(fs)
	    : "rax", "rcx", "r11", "rsi", "rdi", "memory");
	CHECK(a == 0x2b && (int)b == check_done - 1 && fs == 0);
}

static volatile int faults;
static uint64_t fault_code, fault_pc, fault_trap;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	fault_code = (uint64_t)u->uc_mcontext.gregs[REG_ERR];
	fault_trap = (uint64_t)u->uc_mcontext.gregs[REG_TRAPNO];
	fault_pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
	CHECK(sig == SIGSEGV && info->si_code == SI_KERNEL && info->si_addr == 0);
	u->uc_mcontext.gregs[REG_RIP] =
	    u->uc_mcontext.gregs[REG_RBX]; /* where the program goes on */
	faults++;
}

static void test_faults(void)
{
	static const uint16_t bad[] = {0x100, 0x13, 0x7, 0x67, 0xfff8};
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &sa, NULL);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t at;

		__asm__ volatile("lea 2f(%%rip), %%rbx\n\tlea 1f(%%rip), %0\n1:\tmov %w1, %%gs\n2:"
				 : "=&r"(at)
				 : "r"(bad[i])
				 : "rbx", "memory");
		CHECK(faults == (int)i + 1 && fault_pc == at && fault_trap == 13);
		CHECK(fault_code == (bad[i] & 0xfffcu));
	}
	/* code that is not there */
	__asm__ volatile("lea 2f(%%rip), %%rbx\n\tmov %%rsp, %%r12\n\tpush $0x100\n\tpush "
			 "%%rbx\n\tlretq\n2:\tmov %%r12, %%rsp"
			 :
			 :
			 : "rbx", "r12", "memory");
	CHECK(fault_trap == 13 && fault_code == 0x100);
	signal(SIGSEGV, SIG_DFL);
}

static void test_far(void)
{
	static struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) to;
	uint64_t a = 0, b = 0, flags = 0;

	/* return to the next instruction, and drop 16 bytes */
	__asm__ volatile("mov %%rsp, %1\n\tsub $16, %%rsp\n\tlea 1f(%%rip), %0\n\tpush "
			 "$0x33\n\tpush %0\n\tlretq $16\n\tud2\n1:\tsub %%rsp, %1"
			 : "=&r"(a), "=&r"(b)
			 :
			 : "memory");
	CHECK(b == 0);
	__asm__ volatile("mov %%rsp, %1\n\tmov %%ss, %0\n\tpush %0\n\tpush %1\n\tpush "
			 "$0x8d7\n\tpush $0x33\n\tlea 1f(%%rip), %0\n\tpush %0\n\t"
			 "iretq\n\tud2\n1:\tpushf\n\tpop %2\n\tsub %%rsp, %1"
			 : "=&r"(a), "=&r"(b), "=&r"(flags)
			 :
			 : "memory", "cc");
	CHECK(b == 0 && (flags & 0xdd7) == 0x8d7);
	/* AMD's processors know far pointers with 32 bits alone */
	if ((uintptr_t)test_far >> 32) {
		a = 7, b = 0x33;
	} else {
		to.selector = 0x33;
		__asm__ volatile(
		    "lea 1f(%%rip), %k0\n\tmov %k0, %1\n\tljmp *%1\n\tud2\n1:\tmov $7, %0"
		    : "=&r"(a), "+m"(to));
		__asm__ volatile("lea 1f(%%rip), %k0\n\tmov %k0, %1\n\tlcall *%1\n\tjmp "
				 "2f\n1:\tmov 4(%%rsp), %k0\n\tlretl\n2:"
				 : "=&r"(b), "+m"(to)
				 :
				 : "memory");
	}
	CHECK(a == 7 && b == 0x33);
}

int main(void)
{
	test_gs();
	test_fs();
	test_faults();
	for (int i = 0; i < 3; i++)
		test_far();
	return check_end();
}
