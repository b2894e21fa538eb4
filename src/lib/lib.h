/* lib.h -- what a session and a thread of libsoftpmu are made of. Private to src/lib. */
#ifndef SOFTPMU_LIB_LIB_H
#define SOFTPMU_LIB_LIB_H

#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/types.h>

#include <softpmu/softpmu.h>

#include "hw/events.h"

/* How counts were taken. Each way costs something else, so a measurement's cost is that of its two
 * ways. */
enum lib_way {
	LIB_INLINE,   /* RDPMC */
	LIB_CALL,     /* read(2) */
	LIB_FALLBACK, /* RDPMC was not possible just then, read(2) was */
	LIB_WAYS,
};

/* The two ends of a measurement: each has settings of its own, so that calibration can set both
 * before it. */
enum { LIB_BEGIN, LIB_END, LIB_ENDS };

/* A region in one thread. */
struct lib_slot {
	uint64_t entry[SPMU_MOST_EVENTS]; /* counts when it was begun */
	enum lib_way entry_way;
	unsigned depth;		 /* begun so many times more than ended */
	struct spmu_total total; /* under the thread's lock */
};

/* Region 0 is the library's own: it is measured empty to learn what measuring costs. */
#define LIB_EMPTY_REGION 0

struct spmu {
	struct hw_machine machine;
	struct hw_events events;
	char *output; /* owned; NULL: standard error */
	enum spmu_format format;
	bool is_serial, has_no_inline;
	pid_t pid;	      /* of the process that opened it */
	pthread_mutex_t lock; /* of what follows */
	char **region;	      /* names; region[0] is LIB_EMPTY_REGION's. Owned */
	size_t n_region, room;
	struct spmu_thread *first,
	    *last; /* in the order of their opening; closed ones too. Owned */
	int n_thread;
};

struct spmu_thread {
	struct spmu *session;
	struct spmu_thread *next;
	int number; /* in the order of opening, from 0 */
	pid_t tid;
	size_t n;		  /* events */
	int fd[SPMU_MOST_EVENTS]; /* -1: not open */
	const volatile struct perf_event_mmap_page *page[SPMU_MOST_EVENTS],
	    *nothing[SPMU_MOST_EVENTS]; /* none readable */
	size_t place[SPMU_MOST_EVENTS]; /* of event i in what read(2) of the group gives */
	int leader;			/* event that leads the group */
	const volatile struct perf_event_mmap_page *const
	    *look[LIB_ENDS]; /* pages to try RDPMC by; NULL: read(2) */
	enum lib_way usual;  /* when nothing comes between */
	uint64_t start[SPMU_MOST_EVENTS];
	enum lib_way start_way;
	/* Cost of nothing, from start to read and from begin to end of a region, by the ways at
	 * both ends. */
	uint64_t least[LIB_WAYS][LIB_WAYS][SPMU_MOST_EVENTS];
	uint64_t least_region[LIB_WAYS][LIB_WAYS][SPMU_MOST_EVENTS];
	int first_region;      /* 1; while the costs are measured, LIB_EMPTY_REGION */
	pthread_mutex_t lock;  /* of slot's place and totals */
	struct lib_slot *slot; /* by number of region; owned */
	size_t n_slot;
};

/* Counts of all events now, absolute, for this end of a measurement. Returns how they were taken
 * (enum lib_way), or -SPMU_ESYS. */
int lib_take(struct spmu_thread *t, int end, uint64_t *value);

/* Add one more entry to a total, or another total. n: number of events. */
void lib_add_entry(struct spmu_total *to, const uint64_t *value, size_t n);
void lib_add_total(struct spmu_total *to, const struct spmu_total *from, size_t n);

/* Close the descriptors and pages of t; its regions stay. */
void lib_thread_shut(struct spmu_thread *t);

#endif
