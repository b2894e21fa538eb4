/* static_prog.c -- small programs without libc whose instructions can be counted by stepping.
 *
 * static_prog NAME [N]: sort, interp, strings, crc, collatz, calls, x87, sse, switch. The work, and
 * with it every count, depends only on the arguments. Prints one hexadecimal result.
 */
#include "bare.h"

#ifdef __i386__
#define WORD "l"
#else
#define WORD "q"
#endif

static uint32_t rng_next(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

typedef int compare_fn(uint32_t a, uint32_t b);

static int __attribute__((noinline)) up(uint32_t a, uint32_t b)
{
	return a < b;
}

static int __attribute__((noinline)) down(uint32_t a, uint32_t b)
{
	return a > b;
}

static void quicksort(uint32_t *v, long lo, long hi, compare_fn *less)
{
	long i = lo, j = hi;
	uint32_t pivot = v[(lo + hi) / 2];

	while (i <= j) {
		while (less(v[i], pivot))
			i++;
		while (less(pivot, v[j]))
			j--;
		if (i <= j) {
			uint32_t t = v[i];

			v[i++] = v[j];
			v[j--] = t;
		}
	}
	if (lo < j)
		quicksort(v, lo, j, less);
	if (i < hi)
		quicksort(v, i, hi, less);
}

static uint64_t work_sort(uint64_t n)
{
	static uint32_t v[4096];
	uint32_t x = 1;

	n = n > 4096 ? 4096 : n;
	for (uint64_t i = 0; i < n; i++)
		v[i] = rng_next(&x);
	quicksort(v, 0, (long)n - 1, up);
	quicksort(v, 0, (long)n - 1, down);
	return (uint64_t)v[0] << 32 | v[n / 2];
}

/* A stack machine behind a jump table. */
static uint64_t work_interp(uint64_t n)
{
	static const uint8_t code[] = {0, 7, 1, 3, 2, 4, 1, 5, 3, 0, 6};
	uint64_t a = 1, b = 2, sum = 0;

	for (uint64_t pc = 0, i = 0; i < n; i++, pc++) {
		switch (code[pc % sizeof(code)]) {
		case 0: a += b; break;
		case 1: b ^= a << 3; break;
		case 2: a = (a >> 7) | (a << 57); break;
		case 3: sum += a; break;
		case 4: b -= 77; break;
		case 5: a *= 0x9e3779b9; break;
		case 6: sum ^= b; break;
		default: a ^= sum; break;
		}
	}
	return sum;
}

/* Repeated string instructions, counts from 0 up. */
static uint64_t work_strings(uint64_t n)
{
	static uint8_t from[512], to[512];
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		void *d = to + i % 64, *s = from + i % 32;
		size_t c = i % 200, left;

		__asm__ volatile("rep stosb" : "+D"(d), "+c"(c) : "a"((int)i) : "memory");
		d = to;
		c = i % 70;
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(c) : : "memory");
		s = from;
		c = i % 30;
		__asm__ volatile("rep movs" WORD : "+D"(d), "+S"(s), "+c"(c) : : "memory");
		d = to;
		c = 100;
		__asm__ volatile("repne scasb"
				 : "+D"(d), "+c"(c)
				 : "a"((int)i + 1)
				 : "memory", "cc");
		left = c;
		d = to;
		s = from;
		c = 50;
		__asm__ volatile("repe cmpsb" : "+D"(d), "+S"(s), "+c"(c) : : "memory", "cc");
		sum += left * 31 + c;
		from[i % 512]++;
	}
	return sum;
}

static uint64_t work_crc(uint64_t n)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
		table[i] = c;
	}
	for (uint64_t i = 0; i < n; i++)
		crc = table[(crc ^ i) & 255] ^ crc >> 8;
	return crc;
}

static uint64_t work_collatz(uint64_t n)
{
	uint64_t best = 0;

	for (uint64_t i = 1; i <= n; i++) {
		uint64_t steps = 0;

		for (uint64_t x = i; x != 1; steps++) {
			if (x & 1)
				x = 3 * x + 1;
			else
				x /= 2;
		}
		if (steps > best)
			best = steps;
	}
	return best;
}

static uint64_t __attribute__((noinline)) fib(uint64_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint64_t work_calls(uint64_t n)
{
	return fib(n > 30 ? 30 : n);
}

static uint64_t work_x87(uint64_t n)
{
	long double x = 1.0L;
	union {
		double d;
		uint64_t u;
	} r;

	for (uint64_t i = 1; i <= n; i++)
		x = x * 1.000001L + 1.0L / (long double)i;
	r.d = (double)x;
	return r.u;
}

static uint64_t __attribute__((target("sse2"))) work_sse(uint64_t n)
{
	typedef float v4 __attribute__((vector_size(16)));
	v4 a = {1, 2, 3, 4}, b = {0.5f, 0.25f, 0.125f, 1.5f};
	union {
		v4 v;
		uint64_t u[2];
	} r;

	for (uint64_t i = 0; i < n; i++) {
		a = a * b + a;
		b = b - a * (v4){0.001f, 0.002f, 0.003f, 0.004f};
	}
	r.v = a + b;
	return r.u[0] ^ r.u[1];
}

static const struct {
	const char *name;
	uint64_t (*work)(uint64_t n);
	uint64_t n;
} works[] = {
    {"sort", work_sort, 100}, {"interp", work_interp, 1500}, {"strings", work_strings, 60},
    {"crc", work_crc, 1000},  {"collatz", work_collatz, 40}, {"calls", work_calls, 12},
    {"x87", work_x87, 800},   {"sse", work_sse, 800},
};

static int is_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

int test_main(long argc, char **argv)
{
	char text[17];

	for (unsigned i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (!is_equal(argv[1], works[i].name))
			continue;
		bare_hex(text, works[i].work(argc > 2 ? bare_number(argv[2]) : works[i].n));
		text[16] = '\n';
		bare_write(text, 17);
		return 0;
	}
	bare_write("usage: static_prog NAME [N]\n", 28);
	return 2;
}
