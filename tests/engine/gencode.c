/* gencode.c -- a program that generates code without end, and adds up what its code returns.
 *
 *   gencode fill BLOCKS ROUNDS     a chain of BLOCKS small blocks, written once, run ROUNDS times
 *   gencode rewrite PAGES ROUNDS   PAGES pages of small functions, written anew before each round
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE	       4096u
#define FUNCTION_BYTES 8u

typedef uint32_t function(uint32_t);

static uint8_t *memory(size_t bytes, int prot)
{
	void *p = mmap(NULL, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	return p;
}

static void *code(uint8_t *p)
{
	return p;
}

static uint64_t fill(unsigned blocks, unsigned rounds)
{
	static const uint8_t block[6] = {0x83, 0xc7, 3,
					 0x90, 0xeb, 0}; /* add edi, 3; nop; jmp on */
	size_t bytes = blocks * sizeof(block) + 3;
	uint8_t *p = memory(bytes, PROT_READ | PROT_WRITE);
	uint64_t sum = 0;

	for (unsigned i = 0; i < blocks; i++)
		memcpy(p + i * sizeof(block), block, sizeof(block));
	memcpy(p + blocks * sizeof(block), "\x89\xf8\xc3", 3); /* mov eax, edi; ret */
	if (mprotect(p, bytes, PROT_READ | PROT_EXEC) != 0)
		exit(1);
	for (unsigned r = 0; r < rounds; r++)
		sum += ((function *)code(p))(r);
	return sum;
}

static uint64_t rewrite(unsigned pages, unsigned rounds)
{
	uint8_t *p = memory((size_t)pages * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	uint64_t sum = 0;

	for (unsigned r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < pages * PAGE / FUNCTION_BYTES; i++) {
			uint32_t k = r * 7 + i;

			p[i * FUNCTION_BYTES] = 0xb8; /* mov eax, k; ret */
			memcpy(p + i * FUNCTION_BYTES + 1, &k, 4);
			p[i * FUNCTION_BYTES + 5] = 0xc3;
		}
		for (unsigned i = 0; i < pages * PAGE / FUNCTION_BYTES; i++)
			sum += ((function *)code(p + i * FUNCTION_BYTES))(0);
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 3 ? (unsigned)atoi(argv[2]) : 0,
		 rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 0;

	if (n == 0)
		return 2;
	printf("%llu\n", (unsigned long long)(strcmp(argv[1], "fill") == 0 ? fill(n, rounds)
									   : rewrite(n, rounds)));
	return 0;
}
