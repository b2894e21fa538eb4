/* family.h -- the guest processes of one run, each served by a softpmu process of its own.
 *
 * The first guest is served by the process that called ses_run. When a guest forks, its server
 * forks too: the copy has the same model, translator and facts of blocks, and serves the child.
 * All servers are children of the first one, end with it, and send it what their guest counted
 * (docs/decisions/011).
 *
 * COUNTING RULES   a child's counters start at zero when it is forked; its machine starts as a
 *                  copy.
 * NAMES            a process is named by the order of birth: "1" is the program, "1.2" its
 *                  second child, "1.2.1" the first child of that one. Process numbers of the
 *                  kernel stay out.
 */
#ifndef SOFTPMU_SESSION_FAMILY_H
#define SOFTPMU_SESSION_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "session/places/places.h"
#include "session/serve/left.h"
#include "session/totals/totals.h"

#define SES_BIRTH_BYTES   96u
#define SES_MOST_USED     256u

/* Who a guest process is. */
struct ses_member {
	char birth[SES_BIRTH_BYTES];     /* order of birth; a longer one ends in "..." */
	uint64_t birth_hash;             /* of the whole order of birth */
	char program[SES_PROGRAM_BYTES]; /* last part of the name of the file that it runs */
	uint32_t n_children;
};

/* What a server sends about its guest. */
struct ses_message {
	uint32_t kind;            /* enum ses_message_kind */
	int32_t refused_code;     /* enum spmu_errno: the run cannot go on; 0 = nothing is wrong */
	struct ses_member member;
	uint32_t thread;          /* SES_THREAD: its number */
	pid_t pid;                /* SES_LEFT: the guest */
	uint64_t interval, at;    /* SES_INTERVAL: its number, and where it ends */
	uint64_t next_interval;
		  /* ... and SES_BORN: the server's guest has left all intervals in front of this one */
	char region[SES_REGION_NAME]; /* SES_REGION */
	uint64_t n_times;         /* ... that it was ended */
	uint64_t input_digest;
	struct ses_places_at places;	/* SES_ENDED, SES_LEFT: its accounts */
	struct ses_journal_end journal; /* SES_ENDED */
	struct ses_remarks remarks; /* SES_ENDED */
	struct ses_totals totals; /* of this process alone, or of the thread */
	char refusal[SPMU_ERROR_BYTES];
};
enum ses_message_kind {
	SES_BORN = 1, /* a server starts */
	SES_NEVER,    /* its guest never came up (the kernel refused the fork) */
	SES_ENDED,
	SES_LEFT,     /* the run ends without it; this is what it has counted */
	SES_THREAD,   /* one of its threads has counted that, when threads were asked for */
	SES_REGION,   /* a region of it has */
	SES_INTERVAL, /* it has left an interval (intervals.h) */
	SES_SO_FAR,   /* this is what it has counted so far; thread: the turn of ses_alarm.asked */
	SES_MATE,     /* a process that shared its memory has, and has ended (mates.h) */
};

/* Seen by all servers of a run. */
struct ses_alarm {
	/* SIGINT or SIGTERM came that ends the run: all guests end; 0 = none */
	int32_t stop_signal;
	int32_t is_refused;    /* the run cannot go on: all guests are killed */
	pid_t first;           /* the first server */
	uint32_t gate;         /* turns of the gate (gate.h): odd = shut */
	/* the host's clock when it opens by itself; 0 = never. The first server's */
	uint64_t gate_opens_ns;
	uint64_t instructions; /* of all guests, about (progress.h) */
	uint32_t asked;        /* times that somebody asked for the counts so far */
	/* the time of ses_config.timeout_ms is over: stop_signal was made of it */
	int32_t is_timed_out;
	/* the first guest is gone: servers say how theirs stand (living[]) */
	uint32_t is_waiting;
	uint32_t is_released;  /* the run ends without the guests that are left */
	pid_t session;         /* of the first guest */
	struct ses_living living[SES_MOST_LIVING];
	/* Clocks of guests that have ended, for who waits for them (clock.h); a new one takes
	 * the place of the oldest. */
	uint32_t n_used;
	struct {
		pid_t pid;     /* 0 = nobody, or taken */
		uint64_t executed_ns, elapsed_ns;
	} used[SES_MOST_USED];
};

/* One ended process, or one thread or region of it, for the report. */
struct ses_ended {
	struct ses_member member;
	uint32_t thread;
	char region[SES_REGION_NAME];
	uint64_t n_times;
	uint64_t input_digest;
	struct ses_totals totals;
};

/* Where the accounts of an ended process lie. */
struct ses_ended_places {
	char birth[SES_BIRTH_BYTES];
	struct ses_places_at at;
};

struct ses_family {
	/* ends of a socket; hear is the first server's, -1 elsewhere; -1 = closed */
	int send, hear;
	struct ses_alarm *alarm; /* shared page */
	bool is_first;           /* this process is the first server */
	struct ses_book *book;   /* the first server's, or NULL; borrowed */
	uint64_t interval;       /* that this server's guest is in */
	bool keeps_list;         /* keep every ended process, not only the sum */
	/* the first server's book */
	/* the host's clock when the terminal's user last interrupted what runs there; 0 = never */
	uint64_t pressed_ns;
	/* servers, without the first; n_ended without those that never came up */
	uint64_t n_born, n_gone, n_ended;
	struct ses_totals sum;   /* of ended processes, without the first */
	uint64_t digest;         /* of their inputs, in any order */
	struct ses_journal_end journal; /* how theirs came out */
	struct ses_remarks remarks; /* about them */
	/* owned: whom the run left behind, or whom it waited for when a signal ended it */
	struct ses_left *left;
	size_t n_left;
	struct ses_living *row;  /* of this server in alarm->living, or NULL */
	struct ses_ended *list;  /* owned; in order of arrival */
	size_t n_list, room_list;
	struct ses_ended *threads; /* the same for threads */
	size_t n_threads, room_threads;
	struct ses_ended *regions; /* and for regions */
	size_t n_regions, room_regions;
	struct ses_ended_places *places; /* and their accounts */
	size_t n_places, room_places;
	struct spmu_error refusal; /* code 0 = none */
};

/* Set up for a run. Returns 0; -SPMU_ESYS with a sentence. ses_family_close() in every case. */
int ses_family_open(struct ses_family *f, bool keeps_list, struct spmu_error *err);
void ses_family_close(struct ses_family *f);

/* The order of birth of the next child of *parent (counts it). */
void ses_family_name_child(struct ses_member *parent, struct ses_member *child);

/* Order of two orders of birth, as strcmp(): "1.2" before "1.10", a parent before its children. */
int ses_compare_births(const char *s, const char *t);

/* Fork a server for the child *m. Returns 0 in the new process, its id in the old one,
 * -SPMU_ESYS. In the new process `f` is ready and the caller closes what it holds of its
 * parent's guest. */
pid_t ses_family_fork(struct ses_family *f, const struct ses_member *m);

/* Tell the first server what became of this one's guest. */
void ses_family_tell(struct ses_family *f, const struct ses_message *m);

/* A server has told the first one all that it will. */
void ses_family_leave(struct ses_family *f);

/* First server: take what has arrived, collect ended servers. Never waits. */
void ses_family_hear(struct ses_family *f);

/* A server that was forked shows the others its guest: process `pid` (0 = not known), which runs
 * `program`. is_idle: there is time for a close look. */
void ses_family_show(struct ses_family *f, pid_t pid, const char *program, bool is_idle);

/* First server: note who is left now, for the report. */
void ses_family_name_left(struct ses_family *f);

/* First server, when its own guest is gone: is there somebody left, and nobody to wait for? */
bool ses_family_is_settled(const struct ses_family *f);

/* First server, when its own guest is gone: wait up to `ms` milliseconds for news. Returns false
 * when all servers have ended. */
bool ses_family_wait(struct ses_family *f, int ms);

/* One number for the inputs of all processes: that of the first, and those of the others by
 * their order of birth, however they ran beside each other. */
uint64_t ses_family_digest(const struct ses_family *f, uint64_t first);

#endif
