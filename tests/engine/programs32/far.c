/* Far calls, jumps and returns and IRET among flat code segments; the local descriptor table. */
#define _GNU_SOURCE
#include <asm/ldt.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "../programs/check.h"

static uint32_t area[64];
static volatile int faults, signal_number, trap, error;
static volatile uint32_t go_on, stack_then;

static void note(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	faults++;
	signal_number = sig;
	trap = r[REG_TRAPNO];
	error = r[REG_ERR];
	r[REG_EIP] = (greg_t)go_on;
	r[REG_ESP] = (greg_t)stack_then;
	r[REG_CS] = 0x23;
}

/* An instruction that faults: what the handler saw, as one number. */
#define FAULT(text, ...)                                                                           \
	({                                                                                         \
		faults = 0;                                                                        \
		__asm__ volatile("movl %%esp, %0\n\tmovl $1f, %1\n\t" text "\n1:"                  \
				 : "=m"(stack_then), "=m"(go_on)                                   \
				 : __VA_ARGS__                                                     \
				 : "eax", "ecx", "edx", "memory");                                 \
		faults << 24 | signal_number << 16 | trap << 12 | (error & 0xfff);                 \
	})

static long modify(int func, void *p, unsigned long bytes)
{
	return syscall(SYS_modify_ldt, func, p, bytes);
}

static struct user_desc descriptor(unsigned number, void *base, unsigned contents)
{
	return (struct user_desc){.entry_number = number,
				  .base_addr = (unsigned)(uintptr_t)base,
				  .limit = 0xfffff,
				  .seg_32bit = 1,
				  .contents = contents,
				  .limit_in_pages = 1,
				  .useable = 1};
}

static uint32_t selector_of_code(void)
{
	uint32_t s;

	__asm__ volatile("movl %%cs, %0" : "=r"(s));
	return s;
}

/* Each way there and back; eax counts what was executed. */
static void test_far(uint32_t cs)
{
	uint32_t n = 0, sp_before, sp_after, seen = 0, flags;
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) far;

	__asm__ volatile("jmp 2f\n1: incl %0\n\tmovl 4(%%esp), %1\n\tlret\n2: movl %%esp, "
			 "%2\n\tpushl %4\n\tpushl $3f\n\t"
			 "pushl %4\n\tpushl $1b\n\tlret\n3: movl %%esp, %3\n"
			 : "+r"(n), "=&r"(seen), "=&m"(sp_before), "=&m"(sp_after)
			 : "r"(cs)
			 : "memory");
	CHECK(n == 1 && seen == cs && sp_before == sp_after);
	far.selector = (uint16_t)cs;
	__asm__ volatile(
	    "movl $1f, %1\n\tlcall *%1\n\tjmp 2f\n1: addl $10, %0\n\tmovl 4(%%esp), %2\n\tlret\n2:"
	    : "+r"(n), "+m"(far), "=&r"(seen)
	    :
	    : "memory");
	CHECK(n == 11 && seen == cs);
	__asm__ volatile("movl $1f, %1\n\tljmp *%1\n\taddl $1000, %0\n1: addl $100, %0"
			 : "+r"(n), "+m"(far));
	CHECK(n == 111 && selector_of_code() == cs);
	__asm__ volatile(
	    "pushl $1\n\tpushl $2\n\tlcall $0x23, $1f\n\tjmp 2f\n1: incl %0\n\tlret $8\n2:"
	    : "+r"(n));
	CHECK(n == 112 && selector_of_code() == cs);
	__asm__ volatile("ljmp $0x23, $1f\n1:");
	CHECK(selector_of_code() == 0x23);
	__asm__ volatile("pushl $0x246ed7\n\tpushl %2\n\tpushl $1f\n\tiret\n1: pushfl\n\tpopl "
			 "%0\n\tpushl $0x202\n\tpopfl\n\t"
			 "ljmp $0x23, $2f\n2:"
			 : "=r"(flags), "+r"(n)
			 : "r"(cs)
			 : "cc", "memory");
	CHECK((flags & 0x240ed5) == 0x240ed5 && !(flags & 0x2) == 0);
}

static void test_16_bits(void)
{
	uint8_t *page = mmap((void *)0x8000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	static const uint8_t code[] = {0x66, 0xb8, 0x34,
				       0x12, 0x66, 0xcb}; /* mov ax, 1234h; retf, 16 bits */
	uint32_t eax = 0;

	if (page != (uint8_t *)0x8000)
		return; /* this machine keeps low addresses free */
	memcpy(page, code, sizeof(code));
	memcpy(page + 16, "\x66\x9a\x00\x80\x23\x00\xc3", 7); /* call far 23h:8000h, 16 bits; ret */
	__asm__ volatile("calll *%1" : "=a"(eax) : "r"(page + 16) : "memory");
	CHECK((eax & 0xffff) == 0x1234);
}

static void test_far_faults(void)
{
	CHECK(FAULT("lcall $0, $0x1000", "i"(0)) == (1 << 24 | SIGSEGV << 16 | 13 << 12));
	CHECK(FAULT("ljmp $0x2b, $0x1000", "i"(0)) == (1 << 24 | SIGSEGV << 16 | 13 << 12 | 0x28));
	CHECK(FAULT("pushl $0x20\n\tpushl $1f\n\tlret", "i"(0)) ==
	      (1 << 24 | SIGSEGV << 16 | 13 << 12 | 0x20));
	CHECK(FAULT("pushl $0x1003\n\tpushl $1f\n\tlret", "i"(0)) ==
	      (1 << 24 | SIGSEGV << 16 | 13 << 12 | 0x000));
	CHECK(FAULT("movl $16, %%esp\n\tlret", "i"(0)) == (1 << 24 | SIGSEGV << 16 | 14 << 12 | 4));
	CHECK(FAULT("movl $16, %%esp\n\tlcall $0x23, $1f", "i"(0)) >> 16 == (1 << 8 | SIGSEGV));
}

static void test_ldt(void)
{
	struct user_desc d = descriptor(5, NULL, 2), data = descriptor(2, area, 0),
			 flat = descriptor(1, NULL, 0), bad;
	uint64_t raw[8] = {0};
	uint32_t v, selector;

	CHECK(modify(0, raw, sizeof(raw)) == 0);
	CHECK(modify(2, raw, sizeof(raw)) == sizeof(raw) && raw[0] == 0);
	CHECK(modify(0x11, &d, sizeof(d) - 1) == -1 && errno == EINVAL);
	CHECK(modify(0x11, NULL, sizeof(d)) == -1 && errno == EFAULT);
	CHECK(modify(7, &d, sizeof(d)) == -1 && errno == ENOSYS);
	bad = descriptor(8192, NULL, 0);
	CHECK(modify(0x11, &bad, sizeof(bad)) == -1 && errno == EINVAL);
	bad = descriptor(3, NULL, 3);
	CHECK(modify(0x11, &bad, sizeof(bad)) == -1 && errno == EINVAL);
	CHECK(modify(0x11, &d, sizeof(d)) == 0 && modify(0x11, &data, sizeof(data)) == 0 &&
	      modify(0x11, &flat, sizeof(flat)) == 0);
	test_far(5 << 3 | 7);
	/* data by FS with a base, by ES and the stack without */
	area[3] = 12345;
	__asm__ volatile("movl %1, %%fs\n\tmovl %%fs:12, %0" : "=r"(v) : "r"(2 << 3 | 7));
	CHECK(v == 12345);
	data.base_addr += 4;
	CHECK(modify(1, &data, sizeof(data)) == 0);
	__asm__ volatile("movl %%fs:12, %0" : "=r"(v));
	CHECK(v == 12345); /* a register keeps what it has loaded */
	__asm__ volatile("movl %1, %%fs\n\tmovl %%fs:8, %0" : "=r"(v) : "r"(2 << 3 | 7));
	CHECK(v == 12345);
	__asm__ volatile(
	    "movl %2, %%es\n\tmovl %%es:(%3), %0\n\tmovl %%es, %1\n\tpushl %%ds\n\tpopl %%es"
	    : "=&r"(v), "=&r"(selector)
	    : "r"(1 << 3 | 7), "r"(&area[3]));
	CHECK(v == 12345 && selector == 15);
	__asm__ volatile(
	    "movl %2, %%ss\n\tpushl $77\n\tpopl %0\n\tmovl %%ss, %1\n\tpushl %%ds\n\tpopl %%ss"
	    : "=&r"(v), "=&r"(selector)
	    : "r"(1 << 3 | 7));
	CHECK(v == 77 && selector == 15);
	/* what cannot be loaded */
	CHECK(FAULT("movl %2, %%fs", "r"(9 << 3 | 7)) ==
	      (1 << 24 | SIGSEGV << 16 | 13 << 12 | (9 << 3 | 4)));
	CHECK(FAULT("movl %2, %%ss", "r"(5 << 3 | 7)) ==
	      (1 << 24 | SIGSEGV << 16 | 13 << 12 | (5 << 3 | 4)));
	d.entry_number = 6;
	d.seg_not_present = 1;
	CHECK(modify(0x11, &d, sizeof(d)) == 0);
	CHECK(FAULT("movl %2, %%fs", "r"(6 << 3 | 7)) ==
	      (1 << 24 | SIGBUS << 16 | 11 << 12 | (6 << 3 | 4)));
	flat.entry_number = 7;
	flat.seg_not_present = 1;
	CHECK(modify(0x11, &flat, sizeof(flat)) == 0);
	CHECK(FAULT("movl %2, %%ss", "r"(7 << 3 | 7)) ==
	      (1 << 24 | SIGBUS << 16 | 12 << 12 | (7 << 3 | 4)));
	memset(&d, 0, sizeof(d)); /* empty again */
	d.entry_number = 6;
	d.read_exec_only = d.seg_not_present = 1;
	CHECK(modify(0x11, &d, sizeof(d)) == 0);
	CHECK(modify(0, raw, sizeof(raw)) == sizeof(raw));
	CHECK((raw[1] | 1ull << 40) == 0xdff3000000ffffull && raw[2] >> 32 != 0 && raw[6] == 0 &&
	      raw[0] == 0);
	CHECK((raw[5] | 1ull << 40) == 0xdffb000000ffffull &&
	      (raw[7] | 1ull << 40) == 0xdf73000000ffffull);
}

/* A child has a table of its own. */
static void test_fork(void)
{
	struct user_desc d = descriptor(2, area + 8, 0);
	uint32_t v;
	int status;
	pid_t child;

	area[2] = 1;
	area[8] = 2;
	d.base_addr = (unsigned)(uintptr_t)&area[2];
	modify(0x11, &d, sizeof(d));
	__asm__ volatile("movl %0, %%fs" : : "r"(2 << 3 | 7));
	child = fork();
	if (child == 0) {
		d.base_addr = (unsigned)(uintptr_t)&area[8];
		modify(0x11, &d, sizeof(d));
		__asm__ volatile("movl %1, %%fs\n\tmovl %%fs:0, %0" : "=r"(v) : "r"(2 << 3 | 7));
		_exit((int)v);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 2);
	__asm__ volatile("movl %1, %%fs\n\tmovl %%fs:0, %0" : "=r"(v) : "r"(2 << 3 | 7));
	CHECK(v == 1);
}

static void test_tables(void)
{
	uint8_t image[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	__asm__ volatile("sgdt %0" : "+m"(image));
	CHECK(image[6] == 7 && image[7] == 8 && image[5] == 0xff);
	__asm__ volatile("sidt %0" : "+m"(image));
	CHECK(image[6] == 7 && image[7] == 8 && image[5] == 0xff);
}

int main(void)
{
	static char stack[65536];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction act = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaltstack(&alt, NULL);
	act.sa_sigaction = note;
	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	test_far(0x23);
	test_16_bits();
	test_far_faults();
	test_tables();
	if (modify(0, area, 0) != -1 || errno != ENOSYS) { /* a kernel with LDTs */
		test_ldt();
		test_fork();
	}
	return check_end();
}
