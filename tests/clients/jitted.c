/* jitted.c -- code that the program makes itself, as a just-in-time compiler does: written, then
 * made executable by mprotect, and named for perf in /tmp/perf-PID.map. jitted N: calls two
 * functions of it, the second three times as long as the first, N turns in all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

/* mov $n, %eax; 1: dec %eax; jnz 1b; ret -- with FF C8, the form of both widths */
static size_t make(uint8_t *at, uint32_t n)
{
	static const uint8_t code[] = {0xb8, 0, 0, 0, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3};

	memcpy(at, code, sizeof(code));
	memcpy(at + 1, &n, sizeof(n));
	return sizeof(code);
}

int main(int argc, char **argv)
{
	const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000;
	uint8_t *at =
	    mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t bytes[2];
	char path[40];
	FILE *map;

	if (at == MAP_FAILED)
		return 1;
	bytes[0] = make(at, n / 4);
	bytes[1] = make(at + PAGE, n / 4 * 3);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map || mprotect(at, 2 * PAGE, PROT_READ | PROT_EXEC))
		return 1;
	for (unsigned i = 0; i < 2; i++)
		fprintf(map, "%llx %zx made_%s\n", (unsigned long long)(uintptr_t)(at + i * PAGE),
			bytes[i], i ? "second" : "first");
	fclose(map);
	((void (*)(void))(uintptr_t)at)();
	((void (*)(void))(uintptr_t)(at + PAGE))();
	printf("%d\n", (int)getpid());
	return 0;
}
