/* Bytes that are no instruction, or one that few know: SIGILL at the right place, or executed. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "check.h"

static volatile int count, code;
static volatile uint64_t rip, r15, rax, address;
static volatile int skip;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	count++;
	code = info->si_code;
	address = (uint64_t)info->si_addr;
	rip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	r15 = (uint64_t)uc->uc_mcontext.gregs[REG_R15];
	rax = (uint64_t)uc->uc_mcontext.gregs[REG_RAX];
	uc->uc_mcontext.gregs[REG_RIP] += skip;
}

/* Each kind of bad byte, after code that sets r15 and rax. */
#define TRY(bytes, length)                                                                         \
	do {                                                                                       \
		uint64_t at;                                                                       \
		skip = length;                                                                     \
		count = 0;                                                                         \
		__asm__ volatile(                                                                  \
		    "lea 1f(%%rip), %0\n\tmov $0x1515, %%r15d\n\tmov $7, %%eax\n\tstc\n"           \
		    "1:\t.byte " bytes "\n\tsbb %%rax, %%rax"                                      \
		    : "=&S"(at)                                                                    \
		    :                                                                              \
		    : "rax", "r15", "cc", "memory");                                               \
		CHECK(count == 1 && rip == at && address == at && code == ILL_ILLOPN &&            \
		      r15 == 0x1515 && rax == 7);                                                  \
	} while (0)

int main(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	unsigned char *p;

	sigemptyset(&a.sa_mask);
	sigaction(SIGILL, &a, NULL);
	TRY("0x06", 1);
	TRY("0x0f, 0x04", 2);
	TRY("0x0f, 0xff, 0xc0", 3);
	TRY("0xd6", 1);
	TRY("0xf0, 0x90", 2);
	TRY("0x0f, 0x0b", 2);
	TRY("0xc5, 0xff, 0xff, 0xff", 4);
	for (int i = 0; i < 100; i++)
		TRY("0x2f", 1);
	for (int i = 0; i < 100; i++) { /* a reserved NOP that decoders tend not to know */
		uint64_t a15 = 0, carry = 0;

		count = 0;
		__asm__ volatile("mov $0x1515, %%r15d\n\tmovq %%r15, %%xmm5\n\tstc\n\t.byte 0x66, "
				 "0x0f, 0x1a, 0xe8\n\t"
				 "adc $0, %1\n\tmovq %%xmm5, %0\n\tadd %%r15, %0"
				 : "+r"(a15), "+r"(carry)
				 :
				 : "r15", "xmm5", "cc");
		CHECK(count == 0 && a15 == 2 * 0x1515 && carry == 1);
	}
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	memset(p, 0x90, 8192);
	p[4095] = 0x06; /* at the end of a page that may be written */
	p[4096] = 0xc3;
	skip = 1;
	count = 0;
	for (int i = 0; i < 10; i++) {
		p[4096 + 100] = (unsigned char)i;
		((void (*)(void))(p + 4090))();
	}
	CHECK(count == 10 && rip == (uint64_t)p + 4095);
	return check_end();
}
