/* family.h -- the guest processes of one run, each served by a softpmu process of its own.
 *
 * The process that called ses_run serves the first guest. When a guest forks, its server forks,
 * too. The copy has equal model, translator and facts of blocks, and serves the child: so the child
 * starts on the machine as its parent left it. All servers are children of the first server, end
 * with it, and send it the counts of their guests (docs/decisions/011). A server that ends without
 * a last message refuses the run, so no counts are missing silently.
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

#define SES_BIRTH_BYTES 96u
#define SES_MOST_USED	256u

/* Name and birth of a guest process. */
struct ses_member {
	char birth[SES_BIRTH_BYTES];	 /* order of birth; a longer one ends in "..." */
	uint64_t birth_hash;		 /* of the whole order of birth */
	char program[SES_PROGRAM_BYTES]; /* last part of the name of the file that it runs */
	uint32_t n_children;
};

/* A message of a server about its guest, to the first server. */
struct ses_message {
	uint32_t kind;	      /* enum ses_message_kind */
	int32_t refused_code; /* enum spmu_errno: why the run cannot go on; 0 = it can */
	struct ses_member member;
	uint32_t thread;       /* SES_THREAD: its number */
	pid_t pid;	       /* SES_LEFT: the guest */
	uint64_t interval, at; /* SES_INTERVAL: its number, and its end */
	/* SES_INTERVAL, SES_BORN: the server's guest has left all intervals before this one. */
	uint64_t next_interval;
	char region[SES_REGION_NAME]; /* SES_REGION */
	uint64_t n_times;	      /* SES_REGION: times that it was ended */
	uint64_t input_digest;
	struct ses_places_at places;	/* SES_ENDED, SES_LEFT: its counts by place */
	struct ses_journal_end journal; /* SES_ENDED */
	struct ses_remarks remarks;	/* SES_ENDED */
	struct ses_totals totals;	/* of this process alone, or of the thread or region */
	char refusal[SPMU_ERROR_BYTES];
};
enum ses_message_kind {
	SES_BORN = 1, /* a server starts */
	SES_NEVER,    /* its guest never started: the kernel refused the fork */
	SES_ENDED,
	SES_LEFT,     /* the run ends without the guest; its counts until then */
	SES_THREAD,   /* counts of one of its threads (ses_config.keeps_threads) */
	SES_REGION,   /* counts of one of its regions */
	SES_INTERVAL, /* the guest has left an interval (intervals.h) */
	SES_SO_FAR,   /* its counts so far; thread: the value of ses_alarm.asked */
	SES_MATE,     /* a process that shared its memory has ended (mates.h) */
};

/* A page that all servers of a run share. */
struct ses_alarm {
	/* SIGINT, SIGTERM or SIGXCPU, which ends the run and all guests; 0 = none */
	int32_t stop_signal;
	int32_t is_refused;	/* the run cannot go on: all servers kill their guests */
	pid_t first;		/* the first server */
	uint32_t gate;		/* times that the gate was turned (gate.h): odd = shut */
	uint64_t gate_opens_ns; /* host time when the first server opens it; 0 = never */
	uint64_t instructions;	/* of all guests, approximately (progress.h) */
	uint32_t asked;		/* times that the user asked for the counts so far */
	int32_t is_timed_out;	/* ses_config.timeout_ms is over, and caused stop_signal */
	uint32_t is_waiting;	/* the first guest has ended: servers fill in living[] */
	uint32_t is_released;	/* the run ends without the guests that still run */
	pid_t session;		/* of the first guest */
	struct ses_living living[SES_MOST_LIVING];
	/* Clocks of guests that have ended, for the process that waits for them (clock.h). A new
	 * entry replaces the oldest one. */
	uint32_t n_used;
	struct {
		pid_t pid; /* 0 = unused, or already taken */
		uint64_t executed_ns, elapsed_ns;
	} used[SES_MOST_USED];
};

/* The counts of an ended process, or of one thread or region of it, for the report. */
struct ses_ended {
	struct ses_member member;
	uint32_t thread;
	char region[SES_REGION_NAME];
	uint64_t n_times;
	uint64_t input_digest;
	struct ses_totals totals;
};

/* Where the counts by place of a process lie, or of a thread of it: the birth is "1.2:3" then. */
struct ses_ended_places {
	char birth[SES_BIRTH_BYTES];
	struct ses_places_at at;
};

struct ses_family {
	/* Ends of a socket; -1 = closed. Only the first server has hear. */
	int send, hear;
	struct ses_alarm *alarm; /* shared page */
	bool is_first;		 /* this process is the first server */
	bool has_time_limit;	 /* SIGPROF comes before the kernel ends this process */
	struct ses_book *book;	 /* the first server's, or NULL; borrowed */
	uint64_t interval;	 /* number of the interval in which this server's guest is */
	bool keeps_list;	 /* keep every ended process, not only the sum */
	/* From here on used by the first server alone, except row. */
	uint64_t pressed_ns; /* host time of the last SIGINT; 0 = never */
	bool is_quiet;	     /* a look since then has found no signal */
	uint64_t looked_ns;  /* host time of the last look that found none */
	/* A SIGINT was sent to softpmu, after sent_ns. At due_ns the guest gets one, too, if none
	 * has come to it by then; 0 = nothing is due. */
	uint64_t sent_ns, due_ns;
	bool has_passed_on; /* such a one was sent to the guest */
	/* Servers, without the first one. n_ended excludes those whose guest never started. */
	uint64_t n_born, n_gone, n_ended;
	struct ses_totals sum;		/* of ended processes, without the first */
	uint64_t digest;		/* of their inputs; it does not depend on their order */
	struct ses_journal_end journal; /* the results of their journals, merged */
	struct ses_remarks remarks;	/* about them */
	struct ses_left *left;		/* owned; for ses_result.left */
	size_t n_left;
	struct ses_living *row; /* of this server in alarm->living, or NULL */
	struct ses_ended *list; /* owned; in order of arrival */
	size_t n_list, room_list;
	struct ses_ended *threads; /* owned; of threads */
	size_t n_threads, room_threads;
	struct ses_ended *regions; /* owned; of regions */
	size_t n_regions, room_regions;
	struct ses_ended_places *places; /* owned; counts by place */
	size_t n_places, room_places;
	struct spmu_error refusal; /* code 0 = none */
};

/* Set up for a run. Returns 0, or -SPMU_ESYS with a sentence. The caller calls
 * ses_family_close() in either case. */
int ses_family_open(struct ses_family *f, bool keeps_list, struct spmu_error *err);
void ses_family_close(struct ses_family *f);

/* Set *child to the name of the next child of *parent, and count the child. */
void ses_family_name_child(struct ses_member *parent, struct ses_member *child);

/* The hash of a whole order of birth, or of that of a thread's process ("1.2:3"); 0: it is cut. */
uint64_t ses_family_birth_hash(const char *birth);

/* Compare two orders of birth as strcmp() does: "1.2" is before "1.10", a parent before its
 * children. */
int ses_compare_births(const char *s, const char *t);

/* Fork a server for the child *m. Returns 0 in the new process, the new process's id in the old
 * one, or -SPMU_ESYS. In the new process `f` is ready; the caller closes what it holds of its
 * parent's guest. */
pid_t ses_family_fork(struct ses_family *f, const struct ses_member *m);

/* Send a message about this server's guest to the first server. */
void ses_family_tell(struct ses_family *f, const struct ses_message *m);

/* The birth of the message's process and the number of its thread: "1.2:3". */
void ses_family_thread_birth(const struct ses_message *m, char out[SES_BIRTH_BYTES]);

/* In the first server: keep where the counts by place of the message's process lie, or of its
 * thread if it is about one. */
void ses_family_keep_places(struct ses_family *f, const struct ses_message *m);

/* In the first server: take a message, with which its sender ends if it is the last one. */
void ses_family_take(struct ses_family *f, const struct ses_message *m);

/* This server will send no more messages. */
void ses_family_leave(struct ses_family *f);

/* First server: take the messages that have arrived, and reap ended servers. Never waits. */
void ses_family_hear(struct ses_family *f);

/* In a forked server: show the others its guest, process `pid` (0 = not known), which runs
 * `program`. is_idle: the server has time for a close look (ses_is_settled()). */
void ses_family_show(struct ses_family *f, pid_t pid, const char *program, bool is_idle);

/* First server: note the processes that still run, for the report. */
void ses_family_name_left(struct ses_family *f);

/* First server, after its own guest has ended: returns true if other guests still run, and the run
 * needs to wait for none of them. */
bool ses_family_is_settled(const struct ses_family *f);

/* First server, after its own guest has ended: wait up to `ms` milliseconds for messages. Returns
 * false when all other servers have ended. */
bool ses_family_wait(struct ses_family *f, int ms);

/* Returns the digest of the inputs of all processes. `first`: the digest of the first process. It
 * depends on the order of birth, not on the order in which processes ran. */
uint64_t ses_family_digest(const struct ses_family *f, uint64_t first);

#endif
