/* jitted.c -- a JIT compiler: writes two functions of a loop into memory, makes it executable, says so in /tmp/perf-PID.map, and calls
 * each ten times. A call counts 2 N + 2 instructions, N 100 and 300. Where the first lies there was another one, says the map. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t put(uint8_t *at, uint32_t n)
{
	static const uint8_t code[] = {
	    0xb9, 0,	0,    0,    0,
	    0xff, 0xc9, 0x75, 0xfc, 0xc3}; /* mov ecx, n; 1: dec ecx; jnz 1b; ret */

	memcpy(at, code, sizeof(code));
	memcpy(at + 1, &n, sizeof(n));
	return sizeof(code);
}

int main(void)
{
	uint8_t *room =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (!map || room == MAP_FAILED)
		return 1;
	fprintf(map, "%lx 40 moved\nno line\n%lx\n", (long)room, (long)room);
	fprintf(map, "%lx %zx first\n", (long)room, put(room, 100));
	fprintf(map, "%lx %zx second name\n", (long)(room + 64), put(room + 64, 300));
	fclose(map);
	if (mprotect(room, 4096, PROT_READ | PROT_EXEC))
		return 1;
	for (int i = 0; i < 10; i++) {
		((void (*)(void))(uintptr_t)room)();
		((void (*)(void))(uintptr_t)(room + 64))();
	}
	printf("%s\n", path);
	return 0;
}
