/* serve.h -- the softpmu side of one running guest: one thread that answers and consumes.
 *
 * Takes chunks of the ring in order, feeds the model, and answers requests between two chunks
 * (docs/decisions/004). What the guest writes is checked: it may be damaged or hostile.
 */
#ifndef SOFTPMU_SESSION_SERVE_H
#define SOFTPMU_SESSION_SERVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "model/model.h"
#include "session/serve/areas.h"
#include "session/serve/bank.h"
#include "session/serve/clock.h"
#include "session/totals/columns.h"
#include "session/serve/family.h"
#include "session/serve/gate.h"
#include "session/serve/intervals.h"
#include "session/serve/meet.h"
#include "session/places/places.h"
#include "session/serve/progress.h"
#include "session/serve/reading.h"
#include "session/serve/regions.h"
#include "session/serve/service.h"
#include "session/session.h"
#include "session/totals/threads.h"
#include "session/files/journal.h"
#include "session/program/ld_cache.h"
#include "session/serve/mates.h"
#include "session/files/trace_file.h"
#include "translate/translate.h"

/* A child in its parent's memory, whose parent waits. */
struct ses_vfork {
	struct ses_member child;
	struct ses_totals at;      /* what had been counted when it began */
	/* what it counted before that: a process that executes a program beside others in its
	 * memory */
	struct ses_totals before;
};
#define SES_VFORK_MOST 4u

struct ses_server {
	const struct ses_config *cfg; /* borrowed */
	struct ses_areas *areas;
	struct xlt *translator;
	struct x86_store *store;
	struct mdl *model;
	struct wires *wires;       /* of the model */
	const struct ses_columns *columns; /* more models beside it, or NULL */
	enum shr_tier tier;
	/* the first guest, our child; 0: the guest is a child of another guest */
	pid_t pid;
	int sock, life;            /* to the guest: see enum shr_fd; -1 = closed */
	/* the guest as a descriptor, when its life pipe does not tell of its end; -1 = not open */
	int watch;
	struct ses_family *family;
	struct ses_member member;  /* who the guest is */
	struct ses_ld_cache ld_cache; /* for its loader */
	uint32_t n_exec;           /* programs that replaced its first one */
	struct ses_totals base;    /* what had been counted when it was born */
	struct ses_vfork vfork[SES_VFORK_MOST];
	uint32_t n_vfork;
	struct ses_mates mates;    /* other processes in its memory, with keeps_processes */
	struct ses_clock clock;
	struct ses_meet meet;
	struct ses_gate gate;      /* where counting stands that is switched on and off */
	struct ses_intervals intervals; /* what was told of the run while it goes on */
	struct ses_progress progress;
	struct ses_bank bank;      /* counters that the guest reads */
	struct ses_reading reading; /* for bank and whoever else reads while the guest runs */
	const struct ses_service *service; /* performance events for the guest, or NULL; borrowed */
	struct ses_regions *regions; /* of the first process, or NULL */
	struct ses_threads *threads; /* accounts per thread, or NULL */
	struct ses_places *places;   /* accounts per instruction, or NULL */
	struct ses_trace *trace;   /* copy of the stream, or NULL */
	uint32_t trace_flags;      /* enum trc_file_flag */
	struct ses_journal *journal; /* its system calls, or NULL */
	struct ses_inputs *inputs; /* files that the run reads, or NULL; borrowed */
	/* test hook: forget all translations every so many misses; 0 = never */
	uint32_t forget_misses;

	/* attempts to leave the guest's processor since the last one that helped; questions
	 * until the next one */
	uint32_t n_parting, part_in;
	/* the run ends without its guest: ses_serve returns, and is called once more */
	bool is_leaving;
	bool is_left;              /* it has: nobody is told any more */
	bool is_ended;             /* REQ_EXIT came */
	uint32_t n_short;          /* short naps since then */
	/* REQ_REFUSE, or the guest broke the protocol; err has the sentence */
	bool is_refused;
	int stop_signal;           /* SIGINT or SIGTERM ended the run; 0 = none */
	uint64_t stop_ns;          /* when that was seen, by the host's clock */
	int wait_status;           /* of the first guest, once it is reaped */
	/* about the programs that its guest executed before the present one */
	struct ses_remarks remarks;
	bool is_reaped;
	uint64_t trace_bytes, misses;
	/* tier 1: executions that were counted but stopped early, per block */
	uint32_t *over;
	uint32_t n_over;
	uint64_t start_ns;         /* when the run began, by the host's clock */
	/* tier 1: instructions of all blocks that were settled since then (tally.h) */
	uint64_t n_settled;
	struct spmu_error *err;    /* borrowed */
};

/* Serve until SIGINT or SIGTERM (blocked by the caller: ses_raise_limits) asks for an end (a
 * terminal's SIGINT goes to the program, and only a second one within two seconds asks), or the
 * guest ends by itself; then until the guest process is gone, and everything that it handed over
 * is consumed. Returns 0, or -SPMU_ENOTSUP / -SPMU_EPROTO when the run was refused (s->err has
 * the sentence). RETURNS SEVERAL TIMES: once more in every server that was forked on the way;
 * s->family->is_first says which one it is. */
int ses_serve(struct ses_server *s);

/* The first server, when its own guest is gone: serve the end of the others, or let them go
 * (left.h). Returns 0, or the code of a refusal in s->family->refusal. */
int ses_serve_others(struct ses_server *s);

/* Open the trace and the journal of this server's guest, where they are wanted. Returns 0 or a
 * negative error with a sentence in s->err. */
int ses_serve_open_files(struct ses_server *s);

/* The guest is gone: everything is written. *journal: how the journal came out. Returns and says
 * as above. */
int ses_serve_close_files(struct ses_server *s, struct ses_journal_end *journal);

/* No translation shall exist any more (REQ_FORGET_ALL); is_new_program: and none of the pages.
 * What was executed is counted first. Returns REQ_OK, or REQ_BAD when the run is refused. */
uint32_t ses_serve_forget(struct ses_server *s, bool is_new_program);

/* A new server, whose guest's areas are empty: forget the blocks of its parent, whose executions
 * are counted. */
void ses_serve_start_empty(struct ses_server *s);

#define SES_DAMAGED "the program damaged the memory that it shares with softpmu; counting stopped there"

/* The run ends here with this sentence (NULL: s->err has it); the guest is killed. */
void ses_serve_refuse(struct ses_server *s, int code, const char *why);

/* The host's monotonic clock. */
uint64_t ses_host_ns(void);

/* For a model that is in a long REP instruction (mdl_config.is_over): has the user ended the
 * run, or somebody the guest while it computed? Cost: three calls of the kernel. ctx: struct
 * ses_server. */
bool ses_serve_is_over(void *ctx);

/* Feed n bytes of records to the model. Returns as mdl_feed(). */
int ses_serve_feed_model(struct ses_server *s, const uint8_t *bytes, size_t n);

/* The same by way of the service, where there is one. */
int ses_serve_feed_service(struct ses_server *s, const uint8_t *bytes, size_t n);

/* The chunk of the ring with this number. */
const uint8_t *ses_serve_chunk(const struct ses_server *s, uint32_t number);

/* Feed the next chunk up to `whole` bytes, as far as that is not done yet. */
void ses_serve_feed_open(struct ses_server *s, uint32_t whole);

/* The guest waits for an answer, and says where (req_box.whole): all records up to there are
 * read. What it says wrongly ends the run. */
void ses_serve_up_to(struct ses_server *s, uint64_t where);

/* Consume one chunk that was handed over. Returns false when there is none. */
bool ses_serve_take(struct ses_server *s);

/* Consume all chunks; the guest waits for an answer. */
void ses_serve_drain(struct ses_server *s);

/* The guest is gone: consume all. When it was killed, its last chunk was not handed over. */
void ses_serve_drain_last(struct ses_server *s);

/* Answer what the guest asks. RETURNS TWICE where it asks for a new server (REQ_FORK,
 * REQ_VFORK_EXEC). */
void ses_serve_answer(struct ses_server *s);

/* Has somebody else than the guest asked for something? */
void ses_serve_look(struct ses_server *s);

#endif
