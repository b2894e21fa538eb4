/* AVX2 and AVX-512 registers across handlers and in their frames. Levels that the processor does
 * not show are left out, so this also runs at x86-64-v1. */
#define _GNU_SOURCE
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "check.h"

static volatile int count;
static volatile uint32_t features, extended;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const uint32_t *sw = (const uint32_t *)((const char *)uc->uc_mcontext.fpregs + 464);

	count++;
	if (sw[0] == 0x46505853) {
		features = sw[2];
		extended = sw[1];
		CHECK(*(const uint32_t *)((const char *)uc->uc_mcontext.fpregs + sw[4]) ==
		      0x46505845);
	}
	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

__attribute__((target("avx2"))) static void test_avx2(void)
{
	uint32_t in[8], out[8];

	for (int i = 0; i < 8; i++)
		in[i] = 0x11111111u * (unsigned)i;
	__asm__ volatile("vmovdqu (%0), %%ymm13\n\tud2\n\tvpaddd %%ymm13, %%ymm13, %%ymm13\n\t"
			 "vmovdqu %%ymm13, (%1)\n\tvzeroupper"
			 :
			 : "r"(in), "r"(out)
			 : "xmm13", "memory");
	for (int i = 0; i < 8; i++)
		CHECK(out[i] == 2 * in[i]);
	CHECK((features & 7) == 7 && extended >= 832 + 4);
}

__attribute__((target("avx512f"))) static void test_avx512(void)
{
	uint32_t in[16], out[16];
	uint16_t mask = 0;

	for (int i = 0; i < 16; i++)
		in[i] = 0x1010101u * (unsigned)i;
	__asm__ volatile(
	    "vmovdqu32 (%1), %%zmm29\n\tmov $0x5a5a, %%eax\n\tkmovw %%eax, %%k3\n\tud2\n\t"
	    "vpaddd %%zmm29, %%zmm29, %%zmm29\n\tvmovdqu32 %%zmm29, (%2)\n\tkmovw %%k3, %%eax\n\t"
	    "mov %%ax, %0\n\tvzeroupper"
	    : "=m"(mask)
	    : "r"(in), "r"(out)
	    : "eax", "xmm29", "k3", "memory");
	for (int i = 0; i < 16; i++)
		CHECK(out[i] == 2 * in[i]);
	CHECK(mask == 0x5a5a && (features & 0xe7) == 0xe7);
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	int has_avx2 = __builtin_cpu_supports("avx2"),
	    has_avx512 = __builtin_cpu_supports("avx512f");

	sigemptyset(&a.sa_mask);
	sigaction(SIGILL, &a, NULL);
	__asm__ volatile("ud2");
	CHECK(count == 1);
	if (has_avx2)
		test_avx2();
	if (has_avx512)
		test_avx512();
	if (check_failed == 0)
		puts("vectors survive handlers");
	fprintf(stderr, "avx2 %d avx512 %d, %d checks\n", has_avx2, has_avx512, check_done);
	return check_failed != 0;
}
