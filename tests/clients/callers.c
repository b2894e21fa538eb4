/* callers.c -- a function that two others call, one of them for three times as much: where perf
 * record -g must say so. */
static volatile int sum;

static __attribute__((noinline, noclone)) void last(void)
{
	sum++;
}

/* It calls another one, so that it has a frame. */
static __attribute__((noinline, noclone)) void leaf(int n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc", "memory");
	last();
	sum += n;
}

static __attribute__((noinline, noclone)) void few(int n)
{
	leaf(n);
	sum++;
}

static __attribute__((noinline, noclone)) void many(int n)
{
	leaf(3 * n);
	sum++;
}

int main(void)
{
	for (int i = 0; i < 200; i++) {
		few(10007);
		many(10007);
	}
	return 0;
}
