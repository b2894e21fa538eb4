/* counter.h -- one event on one task: open, map, read.
 *
 * SOURCES          perf_event_open(2).
 */
#ifndef SOFTPMU_HW_COUNTER_H
#define SOFTPMU_HW_COUNTER_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "hw/events.h"

/* How to open. */
enum {
	HW_DISABLED =
	    1, /* counts from an ioctl on, or with HW_ON_EXEC from the next exec of the task */
	HW_ON_EXEC = 2,
	HW_INHERIT = 4, /* children that the task gets are counted too */
	HW_PINNED = 8,	/* always on a counter, or in error */
	HW_GROUP = 16,	/* read(2) of the leader gives all of the group */
};

/* Why an event could not be opened. */
enum hw_refusal {
	HW_NOT_HERE, /* the machine has no such event, or no counters at all */
	HW_NO_ROOM,  /* it does not count together with its group */
	HW_NOT_ALLOWED,
	HW_TROUBLE, /* descriptors or memory */
};

/* Open event e on task `pid` (0: the calling thread), in the group of descriptor group_fd (-1: a
 * group of its own); flags as above. Software events count the kernel's part where that is allowed:
 * most happen there. Returns a descriptor (close on exec), or -1 with *why; errno is the kernel's.
 */
int hw_counter_open(const struct hw_event *e, pid_t pid, int group_fd, unsigned flags,
		    enum hw_refusal *why);

/* The page of an open event (<softpmu/page.h>), for munmap of hw_page_bytes(). NULL: not to be had,
 * read(2) does it. */
struct perf_event_mmap_page *hw_counter_map(int fd);
size_t hw_page_bytes(void);

/* Count of an event opened without HW_GROUP, and for how long it was asked for and on a counter
 * (ns). Returns 0; -1 when it cannot be read: a pinned event that found no counter. */
int hw_counter_read(int fd, uint64_t *value, uint64_t *enabled_ns, uint64_t *running_ns);

#endif
