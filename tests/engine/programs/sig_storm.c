/* A timer interrupts a computation thousands of times; its handler changes every register that a
 * handler may change. The result must be that of the undisturbed computation. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

#include "check.h"

static volatile sig_atomic_t ticks;
static volatile double sink;

static void tick(int sig)
{
	double x = ticks;

	ticks++;
	for (int i = 0; i < 3; i++)
		x = x * 1.5 + 2;
	sink = x;
	__asm__ volatile(
	    "pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm7\n\tmovdqa %%xmm0, %%xmm15\n\t"
	    "mov $-1, %%rax\n\tmov %%rax, %%rcx\n\tmov %%rax, %%rdx\n\tmov %%rax, %%rsi\n\t"
	    "mov %%rax, %%rdi\n\tmov %%rax, %%r8\n\tmov %%rax, %%r11\n\tmov %%rax, %%r15\n\t"
	    "fldz\n\tfldpi\n\taddl $1, %%eax\n\tstd\n\tcld"
	    :
	    :
	    : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r11", "r15", "xmm0", "xmm7", "xmm15", "st",
	      "st(1)", "cc");
}

/* Integer work with all registers, carries that live across jumps, string instructions, x87, SSE.
 */
static uint64_t work(int rounds)
{
	static unsigned char a[4096], b[4096];
	uint64_t sum = 0x123456789abcdefull, carry = 0;
	double d = 1, e = 0;
	long double l = 1;
	float f[4] = {1, 2, 3, 4};

	for (int n = 0; n < rounds; n++) {
		__asm__ volatile(
		    "mov %[s], %%r15\n\tmov $50, %%ecx\n\tclc\n"
		    "1:\tadc %%r15, %%rax\n\trcl $1, %%r15\n\tjc 2f\n\tlea 3(%%r15), %%r15\n"
		    "2:\tdec %%ecx\n\tjnz 1b\n\tadc $0, %[c]\n\tadd %%r15, %[s]"
		    : [s] "+r"(sum), [c] "+r"(carry)
		    : "a"(sum)
		    : "rcx", "r15", "cc");
		a[n & 4095] = (unsigned char)sum;
		__asm__ volatile("mov %0, %%rsi\n\tmov %1, %%rdi\n\tmov $4096, %%ecx\n\trep movsb"
				 :
				 : "r"(a), "r"(b)
				 : "rsi", "rdi", "rcx", "memory");
		d = d * 1.0000001 + (double)(sum & 255);
		e += d / 3;
		l = l * 1.0000001L + b[(n * 7) & 4095];
		for (int i = 0; i < 4; i++)
			f[i] = f[i] * 1.001f + 0.5f;
	}
	for (int i = 0; i < 4096; i++)
		sum = sum * 31 + b[i];
	sum ^= (uint64_t)d ^ (uint64_t)e ^ (uint64_t)l;
	return sum + carry + (uint64_t)(f[0] + f[3]);
}

int main(void)
{
	struct sigaction s = {.sa_handler = tick};
	struct itimerval t = {{0, 300}, {0, 300}}, stop = {0};
	uint64_t quiet, noisy;

	work(20000); /* the buffers of the first call differ */
	quiet = work(20000);
	sigemptyset(&s.sa_mask);
	sigaction(SIGALRM, &s, NULL);
	for (int i = 0; i < 5; i++) {
		setitimer(ITIMER_REAL, &t, NULL);
		noisy = work(20000);
		setitimer(ITIMER_REAL, &stop, NULL);
		CHECK(noisy == quiet);
	}
	CHECK(ticks > 5);
	return check_end();
}
