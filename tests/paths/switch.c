/* Coroutines by swapcontext: each has a stack of its own, and goes on in its own path. */
#include <stdlib.h>
#include <ucontext.h>

#include "work.h"

static ucontext_t main_context, context[2];

__attribute__((noinline, noclone)) void yields(int k)
{
	swapcontext(&context[k], &main_context);
	work(30);
}

__attribute__((noinline, noclone)) void first(void)
{
	for (int i = 0; i < 10; i++)
		yields(0);
}

__attribute__((noinline, noclone)) void second(void)
{
	for (int i = 0; i < 10; i++) {
		yields(1);
		work(40);
	}
}

__attribute__((noinline, noclone)) void resumes(int k)
{
	swapcontext(&main_context, &context[k]);
	work(50);
}

int main(void)
{
	static void (*const start[])(void) = {first, second};

	for (int k = 0; k < 2; k++) {
		getcontext(&context[k]);
		context[k].uc_stack.ss_sp = malloc(65536);
		context[k].uc_stack.ss_size = 65536;
		context[k].uc_link = &main_context;
		makecontext(&context[k], start[k], 0);
	}
	for (int i = 0; i < 11; i++)
		for (int k = 0; k < 2; k++)
			resumes(k);
	work(20);
}
