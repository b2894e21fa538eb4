/* each.c -- samples of every instruction that a program executes.
 *
 * each PROGRAM [ARGS]: samples INST_RETIRED with period 1 of it, from its exec on, and prints how
 * many there are and the hash of their addresses, in their order, as tests/engine/oracle.c does:
 * "instructions N" and "hash X". The program's output goes where ours does. Status 1 with a line:
 * some were lost, or there is no such event here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING_BYTES (64u << 20)

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1u << 4)
#endif

/* The ring has not gone round, if nothing was lost. */
static void print_samples(const struct perf_event_mmap_page *page)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;
	struct perf_event_header head;
	uint64_t n = 0, hash = 14695981039346656037u, ip;

	for (uint64_t i = 0; i < page->data_head; i += head.size) {
		memcpy(&head, data + i, sizeof(head));
		memcpy(&ip, data + i + sizeof(head), sizeof(ip));
		if (head.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		hash = (hash ^ ip) * 1099511628211u;
	}
	printf("instructions %llu\nhash %016llx\n", (unsigned long long)n,
	       (unsigned long long)hash);
}

int main(int argc, char **argv)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .config = PERF_COUNT_HW_INSTRUCTIONS,
				    .size = sizeof(a),
				    .sample_type = PERF_SAMPLE_IP};
	struct perf_event_mmap_page *page;
	uint64_t value[2];
	int go[2], fd;
	pid_t pid;
	char c;

	if (argc < 2 || pipe(go))
		return 2;
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			execv(argv[1], argv + 1);
		_exit(127);
	}
	a.sample_period = 1;
	a.read_format = PERF_FORMAT_LOST;
	a.exclude_kernel = a.exclude_hv = a.disabled = a.enable_on_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, 0ul);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		printf("open and mmap: %s\n", strerror(errno));
		return 1;
	}
	if (write(go[1], "", 1) != 1 || waitpid(pid, NULL, 0) != pid ||
	    read(fd, value, sizeof(value)) != sizeof(value))
		return 1;
	if (value[1]) {
		printf("%llu of %llu samples lost\n", (unsigned long long)value[1],
		       (unsigned long long)value[0]);
		return 1;
	}
	print_samples(page);
	return 0;
}
