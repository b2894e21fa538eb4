/* Exceptions: what is called behind the handler is called by who caught. */
extern "C" {
#include "work.h"

__attribute__((noinline, noclone)) void thrower(int depth)
{
	if (!depth)
		throw 1;
	thrower(depth - 1);
	work(1000000);
}

__attribute__((noinline, noclone)) void after(void)
{
	work(50);
}

__attribute__((noinline, noclone)) void catcher(int depth)
{
	try {
		thrower(depth);
	} catch (int) {
		after();
	}
	work(100);
}
}

int main()
{
	for (int i = 0; i < 10; i++)
		catcher(i);
	work(20);
}
