/* marks.c -- softpmu's own marks in a program that begins others: within a region by vfork, with
 * and without a program to execute, and by fork, and behind it. marks.sh runs it. */
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum request { START = 'S' << 24 | 'P' << 16, STOP, RESET };

static int ask(enum request request, const char *name)
{
	const uintptr_t words[6] = {(uintptr_t)request, (uintptr_t)name};
	uintptr_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, "
			 "%%rdi\n\txchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(words)
			 : "cc", "memory");
	return (int)answer;
}

__attribute__((noinline)) static void work(unsigned n)
{
	static volatile unsigned char room[1 << 16];

	for (unsigned i = 0; i < n; i++)
		room[i * 64 & 0xffff]++;
}

static void spawn(char *self, char *how)
{
	char *argv[] = {self, how, NULL};
	pid_t pid;

	posix_spawn(&pid, self, NULL, NULL, argv, environ);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc > 1) { /* the program that is executed has a region of the name, too */
		ask(START, "outer");
		work(700);
		ask(STOP, "outer");
		work(300);
		return 0;
	}
	work(100);
	spawn(argv[0], "before");
	ask(START, "outer");
	work(1000);
	for (int i = 0; i < 3; i++) {
		ask(START, "inner");
		work(100);
		ask(STOP, "inner");
	}
	pid = vfork();
	if (!pid) {
		ask(START, "inner");
		work(50);
		ask(STOP, "inner");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	spawn(argv[0], "within");
	pid = fork();
	if (!pid) {
		work(400);
		ask(STOP, "outer");
		work(100);
		return 0;
	}
	waitpid(pid, NULL, 0);
	ask(STOP, "outer");
	spawn(argv[0], "behind");
	ask(START, "cleared");
	work(10);
	ask(STOP, "cleared");
	ask(RESET, "cleared");
	ask(STOP, "never begun");
	return 0;
}
