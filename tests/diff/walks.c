/* walks.c -- touches memory and code in ways that caches answer differently: for comparing cache
 * models.
 *
 * WALK at compile time: 1 stream, 2 random words, 3 linked list, 4 matrix, 5 much code, 6 sorting.
 * All references are aligned and all addresses are fixed, so that two simulators see the same ones.
 */
#include "bare.h"

static uint64_t seed = 12345;

static inline uint32_t next(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33);
}

static uint64_t area[1 << 18] __attribute__((aligned(4096))); /* 2 MiB */

static uint64_t stream(void)
{
	uint64_t sum = 0;

	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < 1 << 16; i++) {
			sum += area[i];
			area[(i * 5) & 0xffff] = sum;
		}
	return sum;
}

static uint64_t scatter(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 60000; i++) {
		unsigned k = next() & 0x7fff;

		if (i & 3)
			sum += area[k];
		else
			area[k] = sum;
	}
	return sum;
}

static uint64_t chase(void)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < 20000; i++)
		area[i * 8] = (uint64_t)(next() % 20000) * 8;
	for (unsigned i = 0; i < 40000; i++)
		at = area[at];
	return at;
}

static uint64_t multiply(void)
{
	uint32_t *a = (uint32_t *)area, *b = a + 4096, *c = b + 4096;

	for (unsigned i = 0; i < 8192; i++)
		a[i] = i * 77;
	for (unsigned i = 0; i < 64; i++)
		for (unsigned j = 0; j < 64; j++) {
			uint32_t sum = 0;

			for (unsigned k = 0; k < 64; k++)
				sum += a[i * 64 + k] * b[k * 64 + j];
			c[i * 64 + j] = sum;
		}
	return c[99];
}

#define F(n)                                                                                       \
	static uint64_t __attribute__((noinline)) f##n(uint64_t x)                                 \
	{                                                                                          \
		for (unsigned i = 0; i < (x & 3) + 1; i++)                                         \
			x = (x ^ (x >> (n % 13 + 1))) * 0x9e3779b97f4a7c15ull +                    \
			    n * 0x123456789ull;                                                    \
		if (x & 64)                                                                        \
			x += area[n * 8];                                                          \
		else                                                                               \
			area[n * 8] = x;                                                           \
		return x;                                                                          \
	}
#define F10(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7) F(n##8) F(n##9)
#define F100(n)                                                                                    \
	F10(n##0)                                                                                  \
	F10(n##1) F10(n##2) F10(n##3) F10(n##4) F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)
#define N(n)   f##n,
#define N10(n) N(n##0) N(n##1) N(n##2) N(n##3) N(n##4) N(n##5) N(n##6) N(n##7) N(n##8) N(n##9)
#define N100(n)                                                                                    \
	N10(n##0)                                                                                  \
	N10(n##1) N10(n##2) N10(n##3) N10(n##4) N10(n##5) N10(n##6) N10(n##7) N10(n##8) N10(n##9)
F100(1)
F100(2)
F100(3)
F100(4)

static uint64_t code(void)
{
	static uint64_t (*const f[])(uint64_t) = {N100(1) N100(2) N100(3) N100(4)};
	uint64_t x = 1;

	for (unsigned i = 0; i < 8000; i++)
		x = f[i % 7 ? next() % 400 : i % 400](x);
	return x;
}

static uint64_t sort(void)
{
	uint32_t *v = (uint32_t *)area;
	const unsigned n = 3000;

	for (unsigned i = 0; i < n; i++)
		v[i] = next();
	for (unsigned gap = n / 2; gap; gap /= 2)
		for (unsigned i = gap; i < n; i++) {
			uint32_t x = v[i];
			unsigned j = i;

			for (; j >= gap && v[j - gap] > x; j -= gap)
				v[j] = v[j - gap];
			v[j] = x;
		}
	return v[0];
}

int test_main(long argc, char **argv)
{
	static uint64_t (*const walk[])(void) = {stream, scatter, chase, multiply, code, sort};

	(void)argc;
	(void)argv;
	return (int)(walk[WALK - 1]() & 1) & 0;
}
