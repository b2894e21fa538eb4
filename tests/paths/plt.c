/* Calls by way of stubs of the PLT: calls() calls shared(), hands_on() jumps to it, and twice(), in
 * one library with it, calls it and jumps to it. With -DLIBRARY the library that they lead to. */
void shared(long n);
void twice(long n);

#ifdef LIBRARY
void shared(long n)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n));
}

void twice(long n)
{
	shared(n);
	shared(n);
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
	for (int i = 0; i < 3; i++)
		twice(20);
	return 0;
}
#endif
