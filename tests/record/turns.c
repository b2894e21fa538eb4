/* turns.c -- a loop of three instructions that goes round so often as the test says. */
__attribute__((noinline)) void turn(void)
{
	unsigned n = TIMES;

	__asm__ volatile("1: nop\n dec %0\n jnz 1b" : "+r"(n) : : "cc"); /* LOOP */
}

int main(void)
{
	turn();
	return 0;
}
