/* reads.c -- a program that reads a counter many times: reads rdpmc|read N. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr a = { .type = PERF_TYPE_HARDWARE, .size = sizeof(a), .config = PERF_COUNT_HW_INSTRUCTIONS,
		                     .exclude_kernel = 1 };
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000000;
	uint64_t value = 0, last = 0;
	int fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);

	if (fd < 0 || argc < 2)
		return 1;
	for (unsigned long i = 0; i < n; i++) {
		if (!strcmp(argv[1], "rdpmc")) {
			uint32_t lo, hi;

			__asm__ volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(0));
			value = (uint64_t)hi << 32 | lo;
		} else if (read(fd, &value, sizeof(value)) != sizeof(value)) {
			return 1;
		}
		if (value <= last)
			return 2;
		last = value;
	}
	return 0;
}
