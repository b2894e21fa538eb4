/* jitted.c -- a JIT compiler: writes functions of a loop into memory, makes it executable, says so
 * in /tmp/perf-PID.map or, of the third one, in jit-PID.dump, and calls each ten times. A call
 * counts 2 N + 2 instructions, N 100, 300 and 200. Where the first lies there was another one, says
 * the map. The third one is called at its place, moved, and called there. */
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

/* jit-PID.dump: a head, code that is loaded, code that is moved, and a record that is cut off. */
static int put_dump(uint8_t *from, uint8_t *to, size_t n)
{
	struct {
		uint32_t magic, version, bytes, machine, pad, pid;
		uint64_t time, flags;
	} head = {0x4a695444, 1, sizeof(head), 62, 0, (uint32_t)getpid(), 0, 0};
	struct {
		uint32_t kind, bytes;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, addr, size, index;
		char name[8];
	} load = {0,
		  sizeof(load) + (uint32_t)n,
		  0,
		  head.pid,
		  head.pid,
		  (uintptr_t)from,
		  (uintptr_t)from,
		  n,
		  7,
		  "dumped"};
	struct {
		uint32_t kind, bytes;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, from, to, size, index;
	} move = {1,
		  sizeof(move),
		  0,
		  head.pid,
		  head.pid,
		  (uintptr_t)to,
		  (uintptr_t)from,
		  (uintptr_t)to,
		  n,
		  7};
	char path[64];
	FILE *out;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	out = fopen(path, "w");
	if (!out)
		return 1;
	fwrite(&head, sizeof(head), 1, out);
	fwrite(&load, sizeof(load), 1, out);
	fwrite(from, n, 1, out);
	fwrite(&move, sizeof(move), 1, out);
	fwrite(&load, sizeof(load), 1, out);
	return fclose(out);
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
	put(room + 128, 200);
	if (put_dump(room + 128, room + 192, put(room + 192, 200)))
		return 1;
	if (mprotect(room, 4096, PROT_READ | PROT_EXEC))
		return 1;
	for (int i = 0; i < 10; i++) {
		((void (*)(void))(uintptr_t)room)();
		((void (*)(void))(uintptr_t)(room + 64))();
		((void (*)(void))(uintptr_t)(room + 128))();
		((void (*)(void))(uintptr_t)(room + 192))();
	}
	printf("%s jit-%d.dump\n", path, (int)getpid());
	return 0;
}
