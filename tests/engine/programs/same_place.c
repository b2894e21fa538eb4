/* Indirect calls to functions that share a place in the tables of indirect branches
 * (src/trace/share.h): 64 KiB apart in the first, 64 KiB less 72 bytes apart in the second. They
 * are called in all orders, and now and then one is written anew. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

#define FUNCTIONS 40
#define ROUNDS	  20000

typedef uint32_t (*fn)(void);

/* mov eax, imm32; ret */
static void put(unsigned char *at, uint32_t value)
{
	at[0] = 0xb8;
	memcpy(at + 1, &value, 4);
	at[5] = 0xc3;
}

static void test_distance(size_t distance)
{
	unsigned char *p = mmap(NULL, FUNCTIONS * 0x10000, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t value[FUNCTIONS], x = 1;
	int bad = 0;

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put(p + 0x1000 + i * distance, value[i] = i * 0x01010101u);
	for (int r = 0; r < ROUNDS; r++) {
		uint32_t k;

		x = x * 1103515245u + 12345u;
		k = (x >> 16) %
		    (r % 3 ? FUNCTIONS : 2); /* two of them, one after the other, more often */
		if (r % 1000 == 999)
			put(p + 0x1000 + k * distance, value[k] = x);
		bad += ((fn)(p + 0x1000 + k * distance))() != value[k];
	}
	CHECK(bad == 0);
	munmap(p, FUNCTIONS * 0x10000);
}

int main(void)
{
	test_distance(0x10000);
	test_distance(0x10000 - 72);
	return check_end();
}
