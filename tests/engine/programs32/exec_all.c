/* Linked without PT_GNU_STACK, as programs were until 2003: what can be read can be executed, also
 * what a child has. */
#include <alloca.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov eax,42; ret */
static unsigned char data[64] = {1};

static void run(const char *name, unsigned char *at)
{
	int status;

	memcpy(at, code, sizeof(code));
	if (fork() == 0)
		_exit(((int (*)(void))(uintptr_t)at)());
	wait(&status);
	printf("%s: %s\n", name,
	       WIFEXITED(status) && WEXITSTATUS(status) == 42 ? "runs" : "does not");
	fflush(stdout);
}

int main(void)
{
	run("data", data);
	run("heap", malloc(100));
	run("stack", alloca(100));
	run("mapping",
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	printf("personality %x\n", (unsigned)personality(0xffffffff) & READ_IMPLIES_EXEC);
	return 0;
}
