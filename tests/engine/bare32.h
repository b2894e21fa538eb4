/* bare32.h -- system calls and hexadecimal output for 32-bit test programs without libc. */
#ifndef BARE32_H
#define BARE32_H

#include <stddef.h>
#include <stdint.h>

int test_main(int argc, char **argv);

/* int 0x80; six arguments, the last in EBP. */
long bare_call(long nr, long a, long b, long c, long d, long e, long f);
__asm__(".text\n.globl bare_call\nbare_call:\n"
	"\tpush %ebp\n\tpush %ebx\n\tpush %esi\n\tpush %edi\n"
	"\tmov 20(%esp),%eax\n\tmov 24(%esp),%ebx\n\tmov 28(%esp),%ecx\n\tmov 32(%esp),%edx\n"
	"\tmov 36(%esp),%esi\n\tmov 40(%esp),%edi\n\tmov 44(%esp),%ebp\n\tint $0x80\n"
	"\tpop %edi\n\tpop %esi\n\tpop %ebx\n\tpop %ebp\n\tret\n");

static inline void bare_write(const char *text, size_t n)
{
	bare_call(4, 1, (long)text, (long)n, 0, 0, 0);
}

/* Hexadecimal digits of v at to; no branch depends on v. */
static inline void bare_hex(char to[8], uint32_t v)
{
	for (int i = 0; i < 8; i++)
		to[i] = "0123456789abcdef"[v >> (28 - 4 * i) & 15];
}

static inline uint32_t bare_number(const char *s)
{
	uint32_t v = 0;

	while (*s >= '0' && *s <= '9')
		v = v * 10 + (uint32_t)(*s++ - '0');
	return v;
}

#endif
