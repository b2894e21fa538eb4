/* alone.c -- a group that is exclusive has the counters to itself, whatever counters there are.
 *
 * alone 2|all: as in softpmu run --counters. Ends with 0, or says what was wrong. Each row: groups
 * in the order of opening, by a letter per event (h: instructions, s: a software event; E before a
 * group: exclusive, P: pinned), and how many of so many turns each of them runs; e: it is in error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#define MOST  8
#define TURNS 1000000u

static const struct row {
	const char *groups, *two, *all;
} rows[] = {
    {"h h", "1 1", "1 1"},
    {"Eh", "1", "1"},
    {"Ehh", "1", "1"},
    {"Eh h", "1/2 1/2", "1/2 1/2"},
    {"h Eh", "1/2 1/2", "1/2 1/2"},
    {"Eh Eh", "1/2 1/2", "1/2 1/2"},
    {"h Eh h", "2/3 1/3 2/3", "2/3 1/3 2/3"},
    {"Ehh h h", "1/3 2/3 2/3", "1/3 2/3 2/3"},
    {"Eh s", "1 1", "1 1"},
    {"Es h", "1 1", "1 1"},
    {"Ehs h s", "1/2 1/2 1", "1/2 1/2 1"},
    {"EPh h", "1 0", "1 0"},
    {"Ph Eh", "1 0", "1 0"},
    {"Ph EPh", "1 e", "1 e"},
    {"EPh Ph", "1 e", "1 e"},
};

static int every[2 * MOST], n_every; /* descriptors, those of members as well */

/* Its first event is the leader. */
static void open_group(const char *group, int *leader)
{
	unsigned exclusive = 0, pinned = 0;

	*leader = -1;
	for (; *group && *group != ' '; group++) {
		struct perf_event_attr a = {.size = sizeof(a),
					    .disabled = *leader < 0,
					    .exclude_kernel = 1,
					    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
							   PERF_FORMAT_TOTAL_TIME_RUNNING};

		exclusive |= *group == 'E';
		pinned |= *group == 'P';
		if (*group == 'E' || *group == 'P')
			continue;
		a.type = *group == 'h' ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
		a.config = *group == 'h' ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_SW_TASK_CLOCK;
		a.exclusive = *leader < 0 && exclusive;
		a.pinned = *leader < 0 && pinned;
		every[n_every] = (int)syscall(SYS_perf_event_open, &a, 0, -1, *leader, 0);
		CHECK(every[n_every] >= 0, "open: %s", strerror(errno));
		if (*leader < 0)
			*leader = every[n_every];
		n_every++;
	}
}

static __attribute__((noinline)) void spin(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

/* The share of time in which the event ran is what the text says, and its count that of all
 * instructions. */
static void check(const struct row *r, const char *want, const char *kind, int fd)
{
	unsigned of = 1, part = 0;
	uint64_t v[3];
	const long got = read(fd, v, sizeof(v));
	double share;

	if (*want == 'e') {
		CHECK(got == 0, "%s: a pinned group that is not alone can be read: %ld", r->groups,
		      got);
		return;
	}
	CHECK(got == sizeof(v), "%s: read: %ld", r->groups, got);
	if (got != sizeof(v))
		return;
	sscanf(want, "%u/%u", &part, &of);
	share = v[1] ? (double)v[2] / (double)v[1] : -1;
	CHECK(share > (double)part / of - 0.001 && share < (double)part / of + 0.001,
	      "%s: it ran %.4f of its time, not %u/%u", r->groups, share, part, of);
	if (*kind == 'h' && part) {
		const double count = (double)v[0] * of / part;

		CHECK(count > 3.0 * TURNS && count < 8.0 * TURNS, "%s: %.0f instructions",
		      r->groups, count);
	}
}

static void try(const struct row *r, int has_all)
{
	const char *want = has_all ? r->all : r->two, *group = r->groups;
	int fd[MOST], n = 0;

	for (const char *p = r->groups; p; p = strchr(p, ' '))
		open_group(p += *p == ' ', &fd[n++]);
	for (int i = 0; i < n; i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	spin(TURNS);
	for (int i = 0; i < n; i++)
		if (read(fd[i], (uint64_t[3]){0}, 24) ==
		    24) /* one in error stays so until it is enabled */
			ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < n; i++) {
		check(r, want, group + strspn(group, "EP"), fd[i]);
		group = strchr(group, ' ') ? strchr(group, ' ') + 1 : group;
		want = strchr(want, ' ') ? strchr(want, ' ') + 1 : want;
	}
	while (n_every)
		close(every[--n_every]);
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try(&rows[i], argc > 1 && !strcmp(argv[1], "all"));
	return n_wrong != 0;
}
