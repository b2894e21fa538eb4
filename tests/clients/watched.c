/* watched.c -- does watching a process move what is sampled of it? A child's clocks are sampled
 * while its parent waits (quiet), reads the count all the time (reads), starts and stops another
 * event on it (starts), opens and closes events of its own (opens), or sends the child signals like
 * those of breakpoints (traps; these have samples of their own).
 *
 * watched quiet|reads|starts|opens|traps PERIOD TURNS [regs] [shares] [sleeps]: the child's loop
 * makes so many turns; regs: samples have a register, so that each stops the child; shares: three
 * more events count on the child, so that with two counters they take turns; sleeps: it sleeps now
 * and then, so long that somebody looks what it did. Prints the address of each sample and the
 * count, last of all. Status 1: no such event here; 5: the clocks did not count all the time, or in
 * half of all turns (two of four events do in each).
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RING_BYTES (1024u * 4096u)
#define WORDS	   8192u
#define TURN_NS	   100000u /* of groups that share counters */
#define MOST_TRAPS 3000u
#define BREATH	   8192u /* turns between two system calls */

static int open_on(pid_t pid, uint64_t config, uint64_t period, int has_regs)
{
	struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
				    .config = config,
				    .size = sizeof(a),
				    .exclude_kernel = 1,
				    .disabled = 1};

	a.sample_period = period;
	a.sample_type = period ? PERF_SAMPLE_IP : 0;
	a.sample_type |= has_regs ? PERF_SAMPLE_REGS_USER : 0;
	a.sample_regs_user = (uint64_t)has_regs;
	a.wakeup_events = period != 0;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, 0ul);
}

/* Branches that no predictor knows, divisions that keep a unit busy, loads that miss. */
static uint32_t work(unsigned turns, int sleeps)
{
	static uint32_t word[WORDS];
	uint32_t x = 1, sum = 0;

	for (unsigned i = 0; i < turns; i++) {
		x = x * 1664525u + 1013904223u;
		if (x & 0x10000000)
			sum += word[x >> 19] / ((x >> 28) | 1);
		if (x & 0x20000000)
			word[(x >> 17) % WORDS] += i;
		else
			sum ^= x;
		if (i % BREATH == 0)
			sleeps ? usleep(4000) : (int)syscall(SYS_getppid);
	}
	return sum;
}

static void on_trap(int sig)
{
	(void)sig;
}

static void watch(const char *how, unsigned turn, pid_t child, int fd, int other)
{
	uint64_t n[3];

	switch (*how) {
	case 'r':
		if (read(fd, n, sizeof(n)) != sizeof(n))
			_exit(6);
		break;
	case 's':
		ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
		ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
		break;
	/* each has samples of its own: on a busy machine, too, the child comes to its end */
	case 't':
		if (turn >= MOST_TRAPS) {
			usleep(20000);
			break;
		}
		syscall(SYS_tgkill, child, child, SIGTRAP);
		usleep(1);
		break;
	case 'o': close(open_on(0, PERF_COUNT_HW_INSTRUCTIONS, 0, 0)); break;
	default: usleep(20000);
	}
}

static void share_on(pid_t child)
{
	static const uint64_t more[] = {PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_CACHE_MISSES,
					PERF_COUNT_HW_BRANCH_INSTRUCTIONS};

	for (int i = 0; i < 3; i++)
		ioctl(open_on(child, more[i], 0, 0), PERF_EVENT_IOC_ENABLE, 0);
}

int main(int argc, char **argv)
{
	int has_regs = 0, shares = 0, sleeps = 0;
	const struct perf_event_mmap_page *page;
	int fd, other, status;
	const uint8_t *data;
	uint64_t n[3]; /* count, time enabled, time running */
	pid_t child;

	if (argc < 4)
		return 2;
	for (int i = 4; i < argc; i++) {
		has_regs |= !strcmp(argv[i], "regs");
		shares |= !strcmp(argv[i], "shares");
		sleeps |= !strcmp(argv[i], "sleeps");
	}
	child = fork();
	if (!child) {
		signal(SIGTRAP, on_trap);
		raise(SIGSTOP);
		_exit(work((unsigned)atoi(argv[3]), sleeps) == 7);
	}
	if (waitpid(child, &status, WUNTRACED) != child)
		return 3;
	fd = open_on(child, PERF_COUNT_HW_CPU_CYCLES, strtoull(argv[2], NULL, 0), has_regs);
	other = open_on(child, PERF_COUNT_HW_INSTRUCTIONS, 0, 0);
	page = fd < 0 ? MAP_FAILED
		      : mmap(NULL, 4096 + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || other < 0) {
		kill(child, SIGKILL);
		return 1;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (shares)
		share_on(child);
	kill(child, SIGCONT);
	for (unsigned turn = 0; waitpid(child, &status, WNOHANG) == 0; turn++)
		watch(argv[1], turn, child, fd, other);
	data = (const uint8_t *)page + page->data_offset;
	for (uint64_t at = 0; at < page->data_head;) {
		uint16_t size;
		uint64_t ip;

		memcpy(&size, data + at + 6, 2);
		memcpy(&ip, data + at + 8, 8);
		printf("%llx\n", (unsigned long long)ip);
		at += size;
	}
	if (status || read(fd, n, sizeof(n)) != sizeof(n))
		return 4;
	printf("%llu\n", (unsigned long long)n[0]);
	if (!shares)
		return n[1] == n[2] ? 0 : 5;
	return llabs((int64_t)(n[1] - 2 * n[2])) > 2 * TURN_NS * 6 / 10
		   ? 5
		   : 0; /* half a turn, and what is late */
}
