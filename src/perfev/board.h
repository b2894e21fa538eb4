/* board.h -- the performance events of a run: one table for all processes of the program.
 *
 * Every guest process has a softpmu server of its own (docs/decisions/011); what one process
 * opens on another is counted by the other's server and read by the first. So events lie in
 * memory that all servers share.
 *
 * RULES   events are changed under the lock; each change that another server must act on raises
 *         `news`. When a server dies, the next one that waits takes its lock. (Servers are made
 *         by clone(2), which the C library's mutexes do not know.)
 */
#ifndef SOFTPMU_PERFEV_BOARD_H
#define SOFTPMU_PERFEV_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perfev/attr.h"
#include "perfev/what.h"

#define PEV_MOST_EVENTS	 4096u
#define PEV_MOST_SERVERS 1024u
#define PEV_NONE	 UINT32_MAX
#define PEV_ANY_THREAD	 UINT32_MAX

enum pev_run {
	PEV_OFF,
	PEV_ON,
	PEV_ERROR, /* pinned, and no counter was free */
};

struct pev_event {
	bool is_live;
	uint64_t key; /* inode of the program's descriptor */
	uint64_t id;  /* PERF_EVENT_IOC_ID */
	pid_t owner;  /* server that holds the other end of the descriptor */
	struct perf_event_attr attr;
	struct pev_what what;
	pid_t task; /* to count; 0: `thread` of the owner's guest; -1: all; -2: gone */
	uint32_t thread;
	uint32_t opener;  /* thread of the owner's guest that opened it */
	int32_t cpu;	  /* -1 any */
	uint32_t leader;  /* index of its group's leader, itself perhaps */
	uint32_t order;	  /* of opening: siblings follow their leader in it */
	uint32_t run;	  /* enum pev_run */
	uint32_t n_links; /* tasks that it is attached to now */
	bool was_linked;
	uint64_t count, enabled_ns, running_ns;
	/* sampling */
	uint64_t period; /* 0 = counts only */
	uint32_t news;	 /* rises with a new period */
	int64_t refresh; /* overflows until it stops; 0 = goes on */
	uint64_t lost;
	bool is_async; /* O_ASYNC: each overflow is a signal */
	bool has_overflown, is_hup, wants_wake;
	uint64_t unread, unread_bytes; /* in its ring, since its reader was woken */
	uint64_t untold_lost;
	/* memory that the program maps, in the rings' file; bytes 0 = none */
	uint64_t map_at, map_bytes;
	uint64_t mapped_bytes; /* by all processes: each mapping counts */
	bool is_map_writable, is_ring_paused;
	uint64_t head;	 /* of its ring: so far it is written, */
	bool is_unshown; /* which its page does not say yet (pev_show_rings) */
	bool is_closed;	 /* no descriptor is left, but a mapping, which keeps it alive */
	uint32_t output; /* event whose ring gets its samples, itself perhaps */
};

struct pev_board {
	pid_t lock;	/* process number of its holder, 0 = free */
	uint32_t news;	/* rises when servers must look at the table again */
	uint32_t wakes; /* rises when another server's guest is to be woken */
	uint32_t n_live;
	uint32_t n_used; /* events [0, n_used) were used once */
	uint64_t next_id;
	uint32_t next_order;
	uint64_t rings_used; /* bytes of the rings' file that are given away */
	uint32_t n_unborn;   /* guests that are being made: no server knows them yet */
	bool is_crowded;     /* a server found no place below */
	struct {
		pid_t pid;     /* 0 = free */
		pid_t guest;   /* its guest's number; 0 = not known yet */
		uint32_t seen; /* `news` that it has acted on */
	} server[PEV_MOST_SERVERS];
	char files[128]; /* directory of the files for /sys; "" = none yet */
	pid_t first;
	struct pev_event event[PEV_MOST_EVENTS];
};

/* Returns shared memory for a run, all zero; NULL when there is none. */
struct pev_board *pev_board_open(void);
void pev_board_close(struct pev_board *b);

/* Take and release the lock of the board; not twice in one server. Waits while another server
 * holds it; takes it over when the holder has died. */
void pev_lock(struct pev_board *b);
void pev_unlock(struct pev_board *b);

/* Add an event with all fields zero but is_live, id, order, leader, output. Returns its index,
 * or PEV_NONE when there is no room. Under the lock. */
uint32_t pev_board_add(struct pev_board *b);
void pev_board_remove(struct pev_board *b, uint32_t index);

/* Returns the index of the event with this key, or PEV_NONE. */
uint32_t pev_board_find(const struct pev_board *b, uint64_t key);

/* Make all servers look at the table again. */
void pev_board_call(struct pev_board *b);

/* Returns true if every other server that lives has acted on news number n. */
bool pev_board_have_seen(struct pev_board *b, uint32_t n);

/* This process becomes a server; stops being one. */
void pev_board_enter(struct pev_board *b);
void pev_board_leave(struct pev_board *b);

/* Note the process number of this server's guest. */
void pev_board_name(struct pev_board *b, pid_t guest);

/* Returns false if the thread certainly belongs to no process of the run; true if it does, or if
 * a process that is being made may turn out to own it. Cost: it reads a file of /proc. */
bool pev_board_may_know(const struct pev_board *b, pid_t tid);

/* Note that this server has acted on news number n. */
void pev_board_seen(struct pev_board *b, uint32_t n);

#endif
