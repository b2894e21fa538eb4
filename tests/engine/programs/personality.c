/* personality(2): memory that can be read can be executed, and what outlives exec. */
#include <stdint.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>

#include "check.h"

#define ASK  0xffffffff
#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; /* mov eax,42; ret */

/* Does the code at `at` run? In a child, which may die of it. */
static int runs(unsigned char *at)
{
	int status;
	const pid_t child = fork();

	if (child == 0)
		_exit(((int (*)(void))(uintptr_t)at)() == 42 ? 7 : 1);
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static unsigned char *room(int prot)
{
	unsigned char *at = mmap(NULL, 4096, RW, ANON, -1, 0);

	memcpy(at, code, sizeof(code));
	if (prot != RW)
		mprotect(at, 4096, prot);
	return at;
}

/* Does the list of mappings begin with a page at 0? */
static int has_page_zero(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long lo = 1, hi = 0;
	char mode[5] = "";
	const int n = f ? fscanf(f, "%lx-%lx %4s", &lo, &hi, mode) : 0;

	if (f)
		fclose(f);
	return n == 3 && lo == 0 && hi == 4096 && !strcmp(mode, "r-xp");
}

int main(int argc, char **argv)
{
	const int was = personality(ASK);
	unsigned char *before = room(RW), *after;

	if (argc > 1 && *argv[1] == '3') { /* with MMAP_PAGE_ZERO and ADDR_LIMIT_3GB */
		CHECK((was & MMAP_PAGE_ZERO) && (was & ADDR_LIMIT_3GB));
		printf("a page at 0: %d %d\n", has_page_zero(),
		       has_page_zero() && !((const volatile char *)atol("0"))[100]);
		CHECK(sizeof(long) == 8 ||
		      ((uintptr_t)&was < 0xc0000000 && (uintptr_t)room(RW) < 0xc0000000));
		return check_end();
	}
	if (argc > 1) { /* executed by the one below */
		CHECK((was & ADDR_NO_RANDOMIZE) && !(was & READ_IMPLIES_EXEC));
		return check_end();
	}
	CHECK(!(was & READ_IMPLIES_EXEC) && !runs(before));
	if (personality(was | READ_IMPLIES_EXEC) != was) /* a container may forbid it */
		return check_end();
	CHECK(personality(ASK) == (was | READ_IMPLIES_EXEC));
	after = room(RW);
	CHECK(runs(after) && !runs(before));
	CHECK(runs(room(PROT_READ)) && runs(room(PROT_READ | PROT_EXEC)));
	CHECK(!mprotect(before, 4096, RW) && runs(before));
	if (!fork()) {
		CHECK(personality(ASK) == (was | READ_IMPLIES_EXEC) && runs(after));
		_exit(check_failed);
	}
	int status = -1;
	CHECK(wait(&status) > 0 && status == 0);
	CHECK(personality(was) == (was | READ_IMPLIES_EXEC) && personality(ASK) == was);
	CHECK(runs(after) && !runs(room(RW)));
	fflush(stdout);
	if (!fork()) {
		personality(was | MMAP_PAGE_ZERO | ADDR_LIMIT_3GB);
		execl("/proc/self/exe", argv[0], "3 GiB", (char *)NULL);
		_exit(9);
	}
	CHECK(wait(&status) > 0 && status == 0);
	if (personality(was | ADDR_NO_RANDOMIZE) != was)
		return check_end();
	check_end();
	fflush(stdout);
	execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	return 1;
}
