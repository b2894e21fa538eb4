/* A stored x87 state names the program's own instruction, in every format. (AMD's processors forget
 * the pointers when the kernel switches, so they are stored at once, and FXSAVE stores them only
 * while an exception waits.) */
#include <cpuid.h>
#include <stdint.h>

#include "check.h"

static uint8_t area[4096] __attribute__((aligned(64)));
static const uint16_t divides = 0x37b; /* division by zero is not masked */

static uint64_t word(unsigned at, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, area + at, bytes);
	return value;
}

/* Does `what` store the address of the division in `bytes` bytes at `at`? */
#define STORES(what, at, bytes)                                                                    \
	({                                                                                         \
		uint64_t pc;                                                                       \
		memset(area, 0, sizeof(area));                                                     \
		__asm__ volatile(                                                                  \
		    "fninit\n\tfldcw %2\n\tfldz\n\tfld1\n1:\tfdivp\n\tlea 1b(%%rip), %0\n\t" what  \
		    " %1\n\tfninit"                                                                \
		    : "=&r"(pc), "=m"(area)                                                        \
		    : "m"(divides), "a"(7), "d"(0));                                               \
		word(at, bytes) == (bytes == 4 ? (uint32_t)pc : pc);                               \
	})

int main(void)
{
	unsigned a, b, c, d;
	uint64_t pc, r15;

	for (int i = 0; i < 3; i++) {
		CHECK(STORES("fnstenv", 12, 4));
		CHECK(STORES("fnsave", 12, 4));
		CHECK(STORES("fxsave", 8, 4));
		CHECK(STORES("fxsave64", 8, 8));
	}
	/* status and control as they are, with an exception that was raised before */
	__asm__ volatile("fninit\n\tfldz\n\tfld1\n\tfdivp\n\tfnstenv %0" : "=m"(area));
	CHECK(word(4, 2) == 0x3804 && word(0, 2) == 0x37f);
	__get_cpuid(1, &a, &b, &c, &d);
	CHECK(!(c >> 27 & 1) ||
	      (STORES("xsave", 8, 4) && STORES("xsave64", 8, 8))); /* where XSAVE is shown */
	/* by registers that the engine takes */
	__asm__ volatile("fninit\n\tfldcw %2\n\tfldz\n\tfld1\n\tmov %3, "
			 "%%r15\n1:\tfdivp\n\tfxsave64 512(%%r15)\n\tfninit\n\t"
			 "lea 1b(%%rip), %0\n\tmov %%r15, %1"
			 : "=&r"(pc), "=&r"(r15)
			 : "m"(divides), "r"(area)
			 : "r15", "memory");
	CHECK(word(512 + 8, 8) == pc && r15 == (uint64_t)area);
	/* what the program loads itself is not touched */
	memset(area, 0, sizeof(area));
	__asm__ volatile("fninit\n\tfnstenv %0" : "=m"(area));
	pc = 0x12345678;
	memcpy(area + 12, &pc, 4);
	__asm__ volatile("fldenv %0\n\tfnstenv %0" : "+m"(area));
	CHECK(word(12, 4) == pc);
	return check_end();
}
