/* isa_avx512.c -- checks AVX-512 F, BW, DQ, VL against plain C, masks and signals included; exit 0
 * when right, 3 when CPUID and XGETBV do not show the level. */
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#define V4 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

static volatile int n_signals;

static V4 void on_signal(int sig)
{
	/* Spoil registers that only AVX-512 has, and a mask. */
	__asm__ volatile("vpbroadcastd %0, %%zmm0\n\tvmovdqa32 %%zmm0, %%zmm17\n\tvmovdqa32 "
			 "%%zmm0, %%zmm31\n\tkmovw %0, %%k1\n\tkmovw %0, %%k5"
			 :
			 : "r"(sig * 31)
			 : "xmm0", "xmm17", "xmm31", "k1", "k5");
	n_signals++;
}

static V4 int check(void)
{
	uint32_t a[64], b[64], out[16], want = 0, got = 0, seed = 7;
	uint8_t bytes[64];
	__m512i acc = _mm512_setzero_si512();
	__mmask16 even = 0x5555;
	uint64_t n = 0;

	for (int i = 0; i < 64; i++) {
		a[i] = seed = seed * 1664525 + 1013904223;
		b[i] = seed >> 3 | 1;
		bytes[i] = (uint8_t)seed;
		if (!(i & 1))
			want += a[i] ^ b[i];
		n += (uint8_t)seed > 100;
	}
	for (int i = 0; i < 64; i += 16) {
		__m512i x = _mm512_loadu_si512(a + i), y = _mm512_loadu_si512(b + i);

		raise(SIGUSR1);
		acc = _mm512_mask_add_epi32(acc, even, acc, _mm512_xor_si512(x, y));
	}
	_mm512_storeu_si512(out, acc);
	for (int i = 0; i < 16; i++)
		got += out[i];
	if (got != want)
		return 1;
	if ((uint64_t)__builtin_popcountll(
		_mm512_cmpgt_epu8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(100))) != n)
		return 2;
	/* Registers 16 to 31 and a mask, with a signal between writing and reading them. */
	__asm__ volatile("vmovdqu32 %0, %%zmm17\n\tvmovdqu32 %0, %%zmm31\n\tkmovw %1, %%k5"
			 :
			 : "m"(*(const char(*)[64])a), "r"(0x1234)
			 : "xmm17", "xmm31", "k5");
	raise(SIGUSR1);
	__asm__ volatile("vpaddd %%zmm17, %%zmm31, %%zmm0\n\tvmovdqu32 %%zmm0, %0\n\tkmovw %%k5, %1"
			 : "=m"(*(char(*)[64])out), "=r"(got)
			 :
			 : "xmm0");
	for (int i = 0; i < 16; i++)
		if (out[i] != 2 * a[i])
			return 3;
	if (got != 0x1234)
		return 4;
	/* Embedded broadcast, compressed displacement, expand and compress. */
	acc = _mm512_maskz_compress_epi32(0xf0f0, _mm512_loadu_si512(a));
	_mm512_storeu_si512(out, acc);
	if (out[0] != a[4] || out[4] != a[12] || out[8] != 0)
		return 5;
	_mm256_storeu_si256((void *)out, _mm256_ternarylogic_epi32(_mm256_loadu_si256((void *)a),
								   _mm256_loadu_si256((void *)b),
								   _mm256_set1_epi32(-1), 0x96));
	for (int i = 0; i < 8; i++)
		if (out[i] != (a[i] ^ b[i] ^ 0xffffffffu))
			return 6;
	return n_signals == 5 ? 0 : 7;
}

int main(void)
{
	int r;

	signal(SIGUSR1, on_signal);
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
	    !__builtin_cpu_supports("avx512vl")) {
		puts("not shown");
		return 3;
	}
	r = check();
	printf("avx512 %s (%d)\n", r ? "wrong" : "right", r);
	return r != 0;
}
