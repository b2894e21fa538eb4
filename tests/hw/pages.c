/* pages.c -- touch argv[1] fresh pages, in argv[2] children (default: none), and end. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void touch(int n)
{
	char *page = mmap(NULL, (size_t)n * 4096 + 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(page, (size_t)n * 4096 + 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < n; i++)
		page[(size_t)i * 4096] = 1;
}

int main(int argc, char **argv)
{
	int pages = argc > 1 ? atoi(argv[1]) : 0, children = argc > 2 ? atoi(argv[2]) : 0;

	if (!children)
		touch(pages);
	for (int i = 0; i < children; i++) {
		if (fork() == 0) {
			touch(pages);
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
