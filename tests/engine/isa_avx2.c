/* isa_avx2.c -- checks AVX2, FMA, BMI and F16C against plain C, also across signals; exit 0 when
 * right.
 *
 * Does the checks only when CPUID and XGETBV show the level (exit 3 when they do not). */
#include <immintrin.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define V3 __attribute__((target("avx2,fma,bmi,bmi2,f16c,lzcnt,movbe")))

static volatile int n_signals;

static V3 void on_signal(int sig)
{
	__m256i junk = _mm256_set1_epi32(sig * 77);

	/* Spoil every vector register: the frame must bring them back. */
	__asm__ volatile("vmovdqa %0, %%ymm0\n\tvmovdqa %%ymm0, %%ymm1\n\tvmovdqa %%ymm0, "
			 "%%ymm7\n\tvmovdqa %%ymm0, %%ymm15"
			 :
			 : "m"(junk)
			 : "xmm0", "xmm1", "xmm7", "xmm15");
	n_signals++;
}

static V3 int check(void)
{
	uint32_t a[64], b[64], sum[8], want = 0, seed = 1;
	float fa[8], fb[8], fc[8];
	__m256i acc = _mm256_setzero_si256();

	for (int i = 0; i < 64; i++) {
		a[i] = seed = seed * 1664525 + 1013904223;
		b[i] = seed ^ seed >> 7;
		want += a[i] * b[i];
	}
	for (int i = 0; i < 64; i += 8) {
		__m256i x = _mm256_loadu_si256((void *)(a + i)),
			y = _mm256_loadu_si256((void *)(b + i));

		acc = _mm256_add_epi32(acc, _mm256_mullo_epi32(x, y));
		raise(SIGUSR1);
	}
	_mm256_storeu_si256((void *)sum, acc);
	if (sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7] != want)
		return 1;
	/* Gather, permute, variable shift. */
	acc = _mm256_i32gather_epi32((void *)a, _mm256_setr_epi32(7, 5, 3, 1, 60, 62, 0, 2), 4);
	acc = _mm256_permutevar8x32_epi32(acc, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
	acc = _mm256_srlv_epi32(acc, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	_mm256_storeu_si256((void *)sum, acc);
	if (sum[0] != a[2] || sum[3] != a[60] >> 3 || sum[7] != a[7] >> 7)
		return 2;
	for (int i = 0; i < 8; i++) {
		fa[i] = (float)i + 0.5f;
		fb[i] = 2.0f - (float)i;
	}
	_mm256_storeu_ps(
	    fc, _mm256_fmadd_ps(_mm256_loadu_ps(fa), _mm256_loadu_ps(fb), _mm256_set1_ps(1.0f)));
	for (int i = 0; i < 8; i++)
		if (fc[i] != fa[i] * fb[i] + 1.0f)
			return 3;
	if (_pext_u64(0xabcdef, 0xf0f0f0) != 0xace || _pdep_u64(0xace, 0xf0f0f0) != 0xa0c0e0 ||
	    _andn_u32(0xff, 0x1ff) != 0x100 || _lzcnt_u32(0x1000) != 19 ||
	    _tzcnt_u64(0x1000) != 12 || _blsr_u32(0x58) != 0x50)
		return 4;
	if (_mm_cvtsi128_si32(_mm_cvtps_ph(_mm_set1_ps(1.5f), 0)) != 0x3e003e00)
		return 5;
	return n_signals == 8 ? 0 : 6;
}

int main(void)
{
	int r;

	signal(SIGUSR1, on_signal);
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
	    !__builtin_cpu_supports("bmi2")) {
		puts("not shown");
		return 3;
	}
	r = check();
	printf("avx2 %s (%d)\n", r ? "wrong" : "right", r);
	return r != 0;
}
