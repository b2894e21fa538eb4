/* A stored x87 state names the program's own code and data, and FXSAVE leaves what 32-bit code has
 * no registers for. (AMD's processors forget the pointers when the kernel switches: they are stored
 * at once.) */
#include <stdint.h>
#include <string.h>

#include "../programs/check.h"

static uint8_t image[512] __attribute__((aligned(16)));

/* FIP and its selector, FDP and its selector lie at `at`; data is what the last instruction read.
 */
static void check_pointers(const uint8_t *at, uint32_t code, const void *data)
{
	uint32_t word[4];

	memcpy(word, at, sizeof(word));
	CHECK(word[0] == code);
	CHECK((word[1] & 0xffff) == 0x23 || (word[1] & 0xffff) == 0); /* newer processors store 0 */
	CHECK(word[2] == (uint32_t)(uintptr_t)data);
	CHECK((word[3] & 0xffff) == 0x2b || (word[3] & 0xffff) == 0);
}

int main(void)
{
	static double number = 2;
	uint32_t env[7], state[27], at;

	for (int i = 0; i < 3; i++) {
		__asm__ volatile(
		    "fninit\n\tcall 1f\n1:\tpopl %0\n2:\tfldl %2\n\tfnstenv %1\n\taddl $2b - 1b, %0"
		    : "=&r"(at), "=m"(env)
		    : "m"(number));
		check_pointers((uint8_t *)&env[3], at, &number);
		__asm__ volatile(
		    "fninit\n\tcall 1f\n1:\tpopl %0\n2:\tfaddl %2\n\tfnsave %1\n\taddl $2b - 1b, %0"
		    : "=&r"(at), "=m"(state)
		    : "m"(number));
		check_pointers((uint8_t *)&state[3], at, &number);
		/* what the program loads itself is not touched */
		state[3] = 0x12345678;
		__asm__ volatile("frstor %1\n\tfnstenv %0" : "=m"(env) : "m"(state));
		CHECK(env[3] == 0x12345678);
	}
	__asm__ volatile("fninit");
	memset(image, 0x5a, sizeof(image));
	__asm__ volatile("fxsave %0" : "=m"(image));
	CHECK(image[0] == 0x7f && image[1] == 3 && image[2] == 0);
	for (int i = 288; i < 512; i++)
		CHECK(image[i] == 0x5a);
	return check_end();
}
