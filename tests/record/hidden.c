/* hidden.c -- a library with a function that it does not export, and one that is inlined. */
static inline __attribute__((always_inline)) void spin(unsigned n)
{
	__asm__ volatile("1: nop\n dec %0\n jnz 1b"
			 : "+r"(n)
			 :
			 : "cc"); /* SPIN: 3 instructions each */
}

__attribute__((noinline)) static void hidden(unsigned n)
{
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n) : : "cc");
}

__attribute__((noinline)) static void another(unsigned n)
{
	__asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b" : "+r"(n) : : "cc");
}

void shown(unsigned n)
{
	spin(n);
	hidden(n);
	another(n);
}
