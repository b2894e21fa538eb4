/* bare.h -- system calls and decimal output for test programs without libc. */
#ifndef BARE_H
#define BARE_H

#include <stddef.h>
#include <stdint.h>

int test_main(long argc, char **argv);

static inline long bare_call(long nr, long a, long b, long c, long d, long e, long f)
{
#ifdef __i386__
	long more[3] = {nr, e, f}, ret;

	__asm__ volatile(
	    "pushl %%ebp\n\tpushl %%edi\n\tmovl 8(%%eax), %%ebp\n\tmovl 4(%%eax), %%edi\n\t"
	    "movl (%%eax), %%eax\n\tint $0x80\n\tpopl %%edi\n\tpopl %%ebp"
	    : "=a"(ret)
	    : "0"(more), "b"(a), "c"(b), "d"(c), "S"(d)
	    : "edi", "memory");
	return ret;
#else
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#endif
}

static inline void bare_write(const char *text, size_t n)
{
	bare_call(sizeof(long) == 4 ? 4 : 1, 1, (long)text, (long)n, 0, 0, 0);
}

/* Hexadecimal digits of v at to; no branch depends on v. */
static inline void bare_hex(char to[16], uint64_t v)
{
	for (int i = 0; i < 16; i++)
		to[i] = "0123456789abcdef"[v >> (60 - 4 * i) & 15];
}

static inline uint64_t bare_number(const char *s)
{
	uint64_t v = 0;

	while (*s >= '0' && *s <= '9')
		v = v * 10 + (uint64_t)(*s++ - '0');
	return v;
}

#endif
