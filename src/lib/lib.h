/* lib.h -- what a session and a thread of libsoftpmu are made of. Private to src/lib. */
#ifndef SOFTPMU_LIB_LIB_H
#define SOFTPMU_LIB_LIB_H

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/types.h>

#include <softpmu/softpmu.h>

#include "hw/events.h"

/* A region in one thread. */
struct lib_slot {
	uint64_t entry[SPMU_MOST_EVENTS]; /* counts when it was begun */
	unsigned depth;                   /* begun so many times more than ended */
	struct spmu_total total;          /* under the thread's lock */
};

/* Region 0 is the library's own: it is measured empty to learn what measuring costs. */
#define LIB_EMPTY_REGION 0

struct spmu {
	struct hw_machine machine;
	struct hw_events events;
	char *output;                     /* owned; NULL: standard error */
	enum spmu_format format;
	bool is_serial, has_no_inline;
	pid_t pid;                        /* of the process that opened it */
	pthread_mutex_t lock;             /* of what follows */
	char **region;                    /* names; region[0] is LIB_EMPTY_REGION's. Owned */
	size_t n_region, room;
	struct spmu_thread *first, *last; /* in the order of their opening; closed ones too. Owned */
	int n_thread;
};

struct spmu_thread {
	struct spmu *session;
	struct spmu_thread *next;
	int number;                       /* in the order of opening, from 0 */
	pid_t tid;
	size_t n;                         /* events */
	int fd[SPMU_MOST_EVENTS];         /* -1: not open */
	const volatile struct perf_event_mmap_page *page[SPMU_MOST_EVENTS];
	size_t place[SPMU_MOST_EVENTS];   /* of event i in what read(2) of the group gives */
	int leader;                       /* event that leads the group */
	bool is_inline;
	uint64_t start[SPMU_MOST_EVENTS];
	uint64_t least[SPMU_MOST_EVENTS]; /* cost of an empty start and read */
	uint64_t least_region[SPMU_MOST_EVENTS];
	int first_region;                 /* 1; while the costs are measured, LIB_EMPTY_REGION */
	pthread_mutex_t lock;             /* of slot's place and totals */
	struct lib_slot *slot;            /* by number of region; owned */
	size_t n_slot;
};

/* Counts of all events now, absolute. Returns 0 or -SPMU_ESYS. */
int lib_take(struct spmu_thread *t, uint64_t *value);

/* Add one more entry to a total, or another total. n: number of events. */
void lib_add_entry(struct spmu_total *to, const uint64_t *value, size_t n);
void lib_add_total(struct spmu_total *to, const struct spmu_total *from, size_t n);

/* Close the descriptors and pages of t; its regions stay. */
void lib_thread_shut(struct spmu_thread *t);

#endif
