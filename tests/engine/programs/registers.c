/* Registers, flags and instructions that translated code treats in a special way. */
#include <cpuid.h>
#include <stdint.h>
#include <unistd.h>

#include "check.h"

static uint64_t r15_loop(uint64_t n)
{
	uint64_t out;

	__asm__ volatile("mov %1, %%r15\n\txor %%eax, %%eax\n"
			 "1:\tadd %%r15, %%rax\n\tdec %%r15\n\tjnz 1b\n\tmov %%rax, %0"
			 : "=r"(out)
			 : "r"(n)
			 : "r15", "rax", "cc");
	return out;
}

static void test_r15(void)
{
	uint64_t a = 1, b = 0, stack[4] = {1, 2, 3, 4};

	CHECK(r15_loop(1000) == 500500);
	__asm__ volatile(
	    "mov %2, %%r15\n\tmov 8(%%r15), %0\n\tlea (%%r15, %3, 8), %%r14\n\tmov (%%r14), %1"
	    : "=&r"(a), "=&r"(b)
	    : "r"(stack), "r"(3ul)
	    : "r14", "r15");
	CHECK(a == 2 && b == 4);
	__asm__ volatile("mov $5, %%r15d\n\tpush %%r15\n\tmov $6, %%r15d\n\tpop %%r15\n\t"
			 "xchg %%r15, %0\n\tlock xadd %%r15, %1"
			 : "+r"(a), "+m"(b)
			 :
			 : "r15", "memory", "cc");
	CHECK(a == 5 && b == 6);
	__asm__ volatile("mov $7, %%r15d\n\tmov $1, %%eax\n\tcmp $7, %%r15\n\tcmove %%r15, %0"
			 : "+r"(a)
			 :
			 : "r15", "rax", "cc");
	CHECK(a == 7);
}

static void test_flags(void)
{
	uint64_t flags;
	int ok = 0;

	__asm__ volatile("stc\n\tjmp 1f\n1:\tjmp 2f\n2:\tsetc %b0" : "+r"(ok) : : "cc");
	CHECK(ok == 1);
	__asm__ volatile("xor %%eax, %%eax\n\tcpuid\n\tstc\n\tmov $0, %%eax\n\tcpuid\n\tsetc %b0"
			 : "+S"(ok)
			 :
			 : "rax", "rbx", "rcx", "rdx", "cc");
	__asm__ volatile("pushf\n\torl $0x200400, (%%rsp)\n\tpopf\n\tpushf\n\tpop %0\n\tcld"
			 : "=r"(flags)
			 :
			 : "cc", "memory");
	CHECK(flags & 0x400);
	__asm__ volatile(
	    "mov $0x80000000, %%eax\n\tadd %%eax, %%eax\n\tmov %1, %%eax\n\tsyscall\n\t"
	    "pushf\n\tpop %0"
	    : "=r"(flags)
	    : "i"(39)
	    : "rax", "rcx", "r11", "cc", "memory");
	CHECK((flags & 0x8d5) == 0x845); /* OF, ZF, PF, CF survive the system call */
}

static void test_syscall_registers(void)
{
	uint64_t rcx, r11, here;

	__asm__ volatile(
	    "mov $39, %%eax\n\tsyscall\n1:\tlea 1b(%%rip), %2\n\tmov %%rcx, %0\n\tmov %%r11, %1"
	    : "=&r"(rcx), "=&r"(r11), "=&r"(here)
	    :
	    : "rax", "rcx", "r11", "memory");
	CHECK(rcx == here && (r11 & 2));
}

static void test_special(void)
{
	unsigned a, b, c, d;
	uint64_t t1, t2, old, now;
	char vendor[13] = {0};

	__cpuid(0, a, b, c, d);
	memcpy(vendor, &b, 4);
	CHECK(a >= 1 && vendor[0] >= 'A');
	__asm__ volatile("rdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax" : "=a"(t1) : : "rdx", "cc");
	for (volatile int i = 0; i < 100; i++)
		;
	__asm__ volatile("rdtsc\n\tshl $32, %%rdx\n\tor %%rdx, %%rax" : "=a"(t2) : : "rdx", "cc");
	CHECK(t2 > t1);
	__asm__ volatile("mov %%fs:0, %0" : "=r"(old));
	__asm__ volatile("mov %%fs:0, %0" : "=r"(now));
	CHECK(old == now && old != 0);
}

/* Returns through a changed return address, calls through memory, jump tables. */
static int pick(int n)
{
	switch (n) {
	case 0: return 10;
	case 1: return 21;
	case 2: return 32;
	case 3: return 43;
	case 4: return 54;
	case 5: return 65;
	default: return -1;
	}
}

static void test_branches(void)
{
	int sum = 0, k = 0;
	int (*volatile fn)(int) = pick;

	for (int i = 0; i < 700; i++)
		sum += fn(i % 7);
	CHECK(sum == 100 * (10 + 21 + 32 + 43 + 54 + 65 - 1));
	__asm__ volatile(
	    "call 1f\n\tmov $1, %0\n1:\tlea 2f(%%rip), %%rax\n\tmov %%rax, (%%rsp)\n\tret\n"
	    "2:\tadd $5, %0"
	    : "+r"(k)
	    :
	    : "rax", "memory", "cc");
	CHECK(k == 5);
	__asm__ volatile("mov $10, %%ecx\n1:\tadd $2, %0\n\tloop 1b" : "+r"(k) : : "rcx", "cc");
	CHECK(k == 25);
	__asm__ volatile("xor %%ecx, %%ecx\n\tjrcxz 1f\n\tmov $0, %0\n1:" : "+r"(k) : : "rcx");
	CHECK(k == 25);
}

int main(void)
{
	test_r15();
	test_flags();
	test_syscall_registers();
	test_special();
	test_branches();
	return check_end();
}
