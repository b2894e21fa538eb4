/* longjmp: what is called behind setjmp is called by who called setjmp. */
#include <setjmp.h>

#include "work.h"

static jmp_buf env;

__attribute__((noinline, noclone)) void jumper(int depth)
{
	if (!depth)
		longjmp(env, 1);
	jumper(depth - 1);
	work(1000000);
}

__attribute__((noinline, noclone)) void after(void)
{
	work(50);
}

__attribute__((noinline, noclone)) void catcher(int depth)
{
	if (!setjmp(env))
		jumper(depth);
	after();
	work(100);
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		catcher(i);
	work(20);
}
