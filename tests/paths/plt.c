/* Calls by way of stubs of the PLT: calls() calls shared(), hands_on() jumps to it. With -DLIBRARY
 * the library that they lead to. */
void shared(long n);

#ifdef LIBRARY
void shared(long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
}
#else
__attribute__((noinline, noclone)) void calls(long n)
{
	shared(n);
	__asm__ volatile(""); /* so that it is no jump */
}

__attribute__((noinline, noclone)) void hands_on(long n)
{
	shared(n);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		calls(100);
	for (int i = 0; i < 5; i++)
		hands_on(50);
	return 0;
}
#endif
