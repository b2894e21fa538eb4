/* The program steps itself with TF over CPUID. (A hypervisor that answers CPUID itself may lose the
 * trap: the program fails its check natively then.) */
#include <signal.h>

#include "check.h"

static volatile int traps;

static void trap(int sig)
{
	traps++;
}

int main(void)
{
	signal(SIGTRAP, trap);
	__asm__ volatile("sub $128, %%rsp\n"
			 "pushfq\n orq $0x100, (%%rsp)\n popfq\n"
			 "xor %%ecx, %%ecx\n xor %%eax, %%eax\n cpuid\n nop\n"
			 "pushfq\n andq $~0x100, (%%rsp)\n popfq\n"
			 "add $128, %%rsp\n" ::
			     : "rax", "rbx", "rcx", "rdx", "memory", "cc");
	CHECK(traps == 7); /* four, and those that clear TF again */
	return check_end();
}
