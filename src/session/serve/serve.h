/* serve.h -- the server: the softpmu side of one running guest.
 *
 * One thread takes the chunks of the ring in order, feeds their records to the model, and answers
 * requests between two chunks (docs/decisions/004). It checks all that the guest writes, because
 * the guest may be damaged or hostile.
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

/* A child that runs in its parent's memory while its parent waits. */
struct ses_vfork {
	struct ses_member child;
	struct ses_totals at;  /* the server's totals when it began */
	struct ses_totals off; /* what the gate had taken off by then */
	/* The account of its parent's thread then: while it runs, it may settle that. */
	struct ses_totals thread;
	uint32_t thread_number;
	/* Its own counts before that: not 0 if it was a process beside others in this memory, and
	 * now executes a program. */
	struct ses_totals before;
};
#define SES_VFORK_MOST 4u

/* What the models had got of the stream at the last look at their instructions. */
struct ses_pace {
	uint32_t n_chunk; /* that were fed, up to now */
	uint64_t bytes, instructions;
};

struct ses_server {
	const struct ses_config *cfg; /* borrowed */
	struct ses_areas *areas;
	struct xlt *translator;
	struct x86_store *store;
	struct mdl *model;
	struct wires *wires;		   /* of the model */
	const struct ses_columns *columns; /* models of the other processors, or NULL */
	enum shr_tier tier;
	/* The first guest, our child; 0: the guest is a child of another guest. */
	pid_t pid;
	int sock, life; /* to the guest (enum shr_fd); -1 = closed */
	/* A descriptor of the guest process, if its life pipe does not show its end; -1 = not
	 * open. */
	int watch;
	struct ses_family *family;
	struct ses_member member;     /* name and birth of the guest */
	bool has_papi;		      /* its program has PAPI among its libraries */
	struct ses_ld_cache ld_cache; /* the list of libraries that its loader is shown */
	uint32_t n_exec;	      /* programs that replaced its first one */
	struct ses_totals base;	      /* the totals when it was born: counts of other processes */
	struct ses_vfork vfork[SES_VFORK_MOST];
	uint32_t n_vfork;
	struct ses_mates mates; /* other processes in its memory, with keeps_processes */
	struct ses_clock clock;
	struct ses_meet meet;
	struct ses_pace pace;
	struct ses_gate gate; /* switches counting off, and keeps the counts of that time */
	struct ses_intervals intervals; /* counts already reported while the run goes on */
	struct ses_progress progress;
	struct ses_bank bank;	    /* counters that the guest reads */
	struct ses_reading reading; /* counts that bank and others read while the guest runs */
	const struct ses_service *service; /* performance events for the guest, or NULL; borrowed */
	struct ses_regions *regions;	   /* of the first process, or NULL */
	struct ses_threads *threads;	   /* accounts per thread, or NULL */
	struct ses_places *places;	   /* accounts per instruction, or NULL */
	struct ses_trace *trace;	   /* copy of the stream, or NULL */
	uint32_t trace_flags;		   /* enum trc_file_flag */
	struct ses_journal *journal;	   /* its system calls, or NULL */
	struct ses_inputs *inputs;	   /* files that the run reads, or NULL; borrowed */
	/* Test hook: forget all translations after each so many misses; 0 = never. */
	uint32_t forget_misses;

	/* Attempts to leave the guest's processor since the last one that helped; questions
	 * until the next attempt. */
	uint32_t n_parting, part_in;
	/* The run ends without this guest: ses_serve returns, and is called once more. */
	bool is_leaving;
	bool is_left;	  /* the run has ended: this server sends no more messages */
	bool is_ended;	  /* the guest sent REQ_EXIT */
	uint32_t n_short; /* short naps since REQ_EXIT */
	/* The guest sent REQ_REFUSE, or broke the protocol; err has the sentence. */
	bool is_refused;
	int stop_signal;  /* SIGINT, SIGTERM or SIGXCPU that ended the run; 0 = none */
	uint64_t stop_ns; /* host time when the server saw it */
	int wait_status;  /* of the first guest, once it is reaped */
	/* About the programs that the guest executed before the present one. */
	struct ses_remarks remarks;
	bool is_reaped;
	uint64_t trace_bytes, misses;
	/* Tier 1: per block, executions that were counted but stopped early. */
	uint32_t *over;
	uint32_t n_over;
	uint64_t start_ns; /* host time when the run began */
	/* Tier 1: instructions of all blocks that were settled since the run began (tally.h). */
	uint64_t n_settled;
	struct spmu_error *err; /* borrowed */
};

/* Serve the guest until it has ended and all that it handed over is consumed. SIGINT or SIGTERM,
 * which the caller has blocked (ses_raise_limits), ends the guest. A SIGINT is
 * the program's if it handles it, whether a terminal, a process group or softpmu alone got it; then
 * only a second one within two seconds ends the run. Returns 0, or
 * -SPMU_ENOTSUP, -SPMU_EPROTO or -SPMU_ENOMEM when the run was refused (s->err has the sentence).
 * RETURNS SEVERAL TIMES: once more in every server that was forked meanwhile;
 * s->family->is_first is true in the first server. */
int ses_serve(struct ses_server *s);

/* In the first server, after its own guest has ended: wait for the other servers, or let them go
 * (left.h). Returns 0, or the code of a refusal in s->family->refusal. */
int ses_serve_others(struct ses_server *s);

/* Open the trace and the journal of this server's guest, if the run has them. Returns 0 or a
 * negative error with a sentence in s->err. */
int ses_serve_open_files(struct ses_server *s);

/* The server is about to fork for `child`: so says its trace, if it has one that holds all
 * processes. Returns 0 or -SPMU_ESYS. In the new server, ses_serve_trace_born() before anything is
 * written. */
int ses_serve_trace_fork(struct ses_server *s, const struct ses_member *child);
void ses_serve_trace_born(struct ses_server *s);

/* Say in the trace, if there is one, what becomes of m, this server's guest or a vfork child in its
 * memory. A disk that is full refuses the run. */
void ses_serve_trace_member(struct ses_server *s, enum trc_member_kind kind,
			    const struct ses_member *m);

/* Say in the trace, if there is one, what a thread did to a region. A disk that is full refuses the
 * run. */
void ses_serve_trace_region(struct ses_server *s, enum req_region what, uint32_t thread,
			    const char *name);

/* Say in the trace, which there is, which files the program maps to execute them, by n bytes of its
 * records. A disk that is full refuses the run. */
void ses_serve_trace_maps(struct ses_server *s, const uint8_t *bytes, size_t n);

/* All processes have ended: the first server's trace gets its end. Returns 0 or -SPMU_ESYS with a
 * sentence in s->err. */
int ses_serve_end_trace(struct ses_server *s, const struct ses_result *result);

/* The guest has ended: write what is left and close. *journal receives the journal's result.
 * Returns 0 or a negative error with a sentence in s->err. */
int ses_serve_close_files(struct ses_server *s, struct ses_journal_end *journal);

/* Count what was executed, then delete all translations (REQ_FORGET_ALL), and with is_new_program
 * all pages of the old program. Returns REQ_OK, or REQ_BAD when the run is refused. */
uint32_t ses_serve_forget(struct ses_server *s, bool is_new_program);

/* In a new server whose guest's areas are empty: forget the blocks of its parent. Their executions
 * are counted already. */
void ses_serve_start_empty(struct ses_server *s);

#define SES_DAMAGED                                                                                \
	"the program damaged the memory that it shares with softpmu; counting stopped there"

/* End the run with this sentence (NULL: s->err has it) and kill the guest. */
void ses_serve_refuse(struct ses_server *s, int code, const char *why);

/* The host's monotonic clock. */
uint64_t ses_host_ns(void);

/* Returns true when the run has ended or the guest is gone, while the model computes a long REP
 * instruction (mdl_config.is_over). ctx: struct ses_server. Cost: three system calls. */
bool ses_serve_is_over(void *ctx);

/* Feed n bytes of records to the model. Returns as mdl_feed(). */
int ses_serve_feed_model(struct ses_server *s, const uint8_t *bytes, size_t n);

/* As ses_serve_feed_model(), through the service's feed() if there is a service. */
int ses_serve_feed_service(struct ses_server *s, const uint8_t *bytes, size_t n);

/* The chunk of the ring with this number. */
const uint8_t *ses_serve_chunk(const struct ses_server *s, uint32_t number);

/* Feed the bytes of the next chunk below `whole` that were not fed yet. */
void ses_serve_feed_open(struct ses_server *s, uint32_t whole);

/* The guest waits for an answer and names a place in the ring (req_box.whole): read all records
 * before it. A wrong place ends the run. */
void ses_serve_up_to(struct ses_server *s, uint64_t where);

/* Consume one chunk that the guest has handed over. Returns false when there is none. */
bool ses_serve_take(struct ses_server *s);

/* Consume all chunks while the guest waits for an answer. */
void ses_serve_drain(struct ses_server *s);

/* The guest is gone: consume all records. If it was killed, its last chunk is not handed over:
 * take its whole records, too. */
void ses_serve_drain_last(struct ses_server *s);

/* Answer the guest's question. RETURNS TWICE when it asks for a new server (REQ_FORK,
 * REQ_VFORK_EXEC). */
void ses_serve_answer(struct ses_server *s);

/* Call the look functions of gate, intervals, progress and the service. */
void ses_serve_look(struct ses_server *s);

#endif
