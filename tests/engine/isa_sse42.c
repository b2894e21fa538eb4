/* isa_sse42.c -- is x86-64-v2 shown, and AVX? Prints the answer; exit 0 when v2 is shown, 3 when
 * not. */
#include <cpuid.h>
#include <stdio.h>

int main(void)
{
	/* SSE3 SSSE3 CX16 SSE4.1 SSE4.2 POPCNT */
	const unsigned v2 = 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23,
		       avx = 1u << 28;
	unsigned a, b, c, d, ext;

	__cpuid(0x80000001, a, b, ext, d);
	__cpuid(1, a, b, c, d);
	if ((c & v2) != v2 || !(ext & 1)) {
		puts("v2 is not shown");
		return 3;
	}
	printf("v2 is shown, AVX is %s\n", c & avx ? "too" : "not");
	return 0;
}
