/* local.h -- the performance events of one guest, in its server: which tasks they are attached to, and what they count.
 *
 * COUNTING RULES   an event counts while it and the leader of its group are on, a thread that it is attached to runs,
 *                  and it has a counter. Counts change hands at boundaries of the guest's instructions: the system call
 *                  that starts or stops an event is the border. What a child counts under an inherited event is
 *                  added to that event. Time is the model's: clocks at the processor's frequency where the run counts
 *                  clocks, else a nanosecond per instruction.
 *                  While a child borrows the guest's memory (vfork), inherited events alone count.
 * MODELLED         inherit and inherit_thread over fork and threads, enable_on_exec, remove_on_exec; with two
 *                  counters the constraints of events, pinned groups first, the others taking turns (turns.c).
 */
#ifndef SOFTPMU_PERFEV_LOCAL_H
#define SOFTPMU_PERFEV_LOCAL_H

#include "perfev/board.h"
#include "session/serve/pieces.h"
#include "session/serve/serve.h"
#include "session/serve/service.h"
#include "session/faults/touches.h"

#define PEV_KNOWN_TIDS  64u
#define PEV_PAGE_BYTES  4096u
#define PEV_MOST_PLACED 64u /* events that have a counter, or take part as if */

/* One event on one task. */
struct pev_link {
	uint32_t event;      /* index on the board */
	uint64_t id;         /* of that event: another one may have taken its place */
	uint32_t thread;     /* number in the guest, or PEV_ANY_THREAD */
	bool is_inherited;   /* its first task is somewhere else */
	uint64_t from;       /* what the model had counted when it was last settled */
	bool is_fresh;       /* `from` is not known yet */
	uint64_t period;     /* 0 = no samples */
	uint64_t left;       /* until the next overflow */
	uint64_t n_over;     /* overflows not dealt with yet */
	uint64_t over_pc;    /* address of the instruction that brought the last of them, as far as records tell */
	uint64_t over_addr;  /* what that touched; 0 = not known */
	uint64_t due_clk;    /* clock at which the interrupt reaches the processor; 0 = none is on its way */
	struct mdl_bound bound; /* what the most of it goes by (limits.h) */
	bool is_apart;       /* no instruction counts it: faults and switches, which are told of one by one (software.c) */
	uint64_t sampled_ns;
	uint32_t news;       /* of its event: the period was set anew */
	/* as it was left by pev_schedule: so it has been since */
	bool is_enabled, is_running;
	int8_t counter;      /* hardware counter, -1 none */
	uint32_t turns;      /* of pev_local.n_turns, in which it has a counter; is_running: in all of them */
	uint64_t paged;      /* count when the event's page was written: what its counter shows begins there */
	uint64_t rest, rest_ns; /* counted in such turns, less than one, in parts of a turn */
};

/* The other end of a descriptor that this server's guest opened. */
struct pev_owned {
	uint32_t event;
	int fd;
	bool has_hung_up;    /* its tasks are gone, and the program has been told */
};

/* What the guest has mapped of an event's page and ring. */
struct pev_held {
	uint32_t event;
	uint64_t bytes;
};

/* The guest's registers and stack at one of its boundaries. */
struct pev_state {
	bool is_valid;
	struct req_perf_state is;
	uint8_t stack[REQ_STACK_BYTES];
};

/* A task that begins or ends, and its parent. */
struct pev_task {
	uint32_t pid, tid, parent_pid, parent_tid;
};

/* Who and when: in every record. */
struct pev_stamp {
	uint32_t pid, tid;
	uint64_t ns;
};

struct pev_local {
	struct ses_service service;
	struct pev_board *board; /* shared */
	int rings_fd;            /* file of the memory that programs map, -1 none yet */
	uint8_t *rings;          /* the same, mapped here */
	unsigned n_counters;     /* 0 = any number */
	struct pev_link *link;   /* owned */
	uint32_t n_link, room_link;
	struct pev_owned *owned; /* owned */
	uint32_t n_owned, room_owned;
	struct pev_held *held;   /* owned */
	uint32_t n_held, room_held;
	uint32_t seen;           /* news acted on, */
	uint32_t seen_wakes;     /* and wakes */
	uint64_t unshown_since_ns; /* host time: something is in a ring whose reader has not been shown it; 0 = nothing is */
	uint32_t now;            /* the thread that runs */
	uint32_t now_cpu;        /* ... and the modelled processor that it runs on */
	uint32_t n_vfork;
	struct pev_borrower {
		uint32_t pid, tid; /* of its parent, which waits */
		bool is_untold;    /* nobody has been told of it yet */
	} borrower[SES_VFORK_MOST]; /* n_vfork of them */
	uint64_t n_switches;     /* times that a thread of the guest gave the processor up, */
	uint64_t n_faults;       /* and that one touched a page that was not there */
	struct ses_touches *touches; /* owned; while an event on this guest counts page faults, else NULL */
	bool is_beginning;       /* the thread that the stream names first is no switch */
	uint64_t last_ns;        /* model time of the last settling */
	uint64_t turn_ns;        /* ... when the groups' turn began */
	uint32_t turn;           /* which flexible group is first */
	bool has_programmed[SHR_N_COUNTERS]; /* counters that RDPMC reads and that held an event of the program */
	unsigned n_sampled;      /* running links with a period */
	bool has_readers;        /* somebody wants records of mappings and tasks */
	uint64_t last_pc, last_addr; /* addresses of the last sample */
	uint32_t last_block;     /* fed while events sampled, or PEV_NONE; */
	uint64_t last_block_pc;  /* where it began: ids may have become void since */
	uint32_t last_insn;      /* and the last instruction of it that was executed */
	bool is_in_pieces;       /* it was fed instruction by instruction: what the last one counts is looked for in front of the next block */
	uint32_t own_pid, own_tid; /* of the guest that is about to fork, and its thread; 0 = none is */
	uint32_t parent_pid, parent_tid; /* of the guest; 0 = it is the first */
	bool is_untold;          /* a child that has not been told of yet */
	uint32_t tid[PEV_KNOWN_TIDS]; /* of the guest's threads, where known */
	const struct cat_event *instructions; /* the event that counts them, or NULL */
	bool has_turns;          /* there are more groups than counters, and one of them has its turn */
	uint32_t n_turns;        /* until all of them had theirs, where turns are without end; else 1 */
	struct evt_event clock;  /* event that counts clocks; .event NULL: none on this processor */
	uint64_t fed_bytes;      /* since the counters' age was looked at (pev_pages_age) */
	uint32_t skid_clk;       /* from an overflow to its interrupt (--skid model); 0 = at the instruction itself */
	/* Where overflows must find the guest stopped: what its last two questions said of it. */
	struct pev_state *now_state, *before_state; /* owned, NULL until the first */
	bool is_stopped;         /* it stands at now_state, */
	bool is_ahead;           /* in front of what happens, */
	bool is_step;            /* and executes one instruction, or block, with the answer that it was given last, */
	bool is_told;            /* to a question that said how it stood */
	/* A breakpoint in the code of the block that the guest executes next: where, and what is there otherwise. */
	struct {
		bool is_set;
		uint8_t was;
		uint32_t at, n_clears; /* x86_store_clears() then: later it is gone with the code */
	} stop;
	bool is_asked;           /* a question of the guest is being answered: it stands at a boundary */
	struct shr_trap trap[SHR_MOST_TRAPS]; /* for the next answer, one per thread at most */
	uint32_t n_traps;
	uint64_t rest_at;        /* the guest's open chunk as it was seen last, */
	uint64_t rest_since_ns;  /* since when it has been so in a system call; 0 = it is in none */
	bool is_unborn;          /* the guest has no number yet */
	bool is_closed;          /* the guest is gone */
};

static inline struct pev_event *pev_event_of(const struct pev_local *l, const struct pev_link *link)
{
	return &l->board->event[link->event];
}

/* Is the event still the one that the link was made for? */
static inline bool pev_is_current(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = pev_event_of(l, link);

	return e->is_live && e->id == link->id;
}

/* Count up to here: the model has been fed everything before. */
void pev_settle(struct pev_local *l, struct ses_server *s);

/* The same in the middle of the stream: what waits in the model goes on waiting (ses_peek). */
void pev_look_on(struct pev_local *l, struct ses_server *s);

/* Which links are on, and which of them have a counter, from here on. Under the lock, after pev_settle(). */
void pev_schedule(struct pev_local *l, struct ses_server *s);

/* Is time that of the model's clocks? Else it is a nanosecond per instruction. */
bool pev_is_timed(const struct pev_local *l, const struct ses_server *s);

/* What was fed last was a block in pieces, and nothing follows it, or not yet: its last instruction is looked at now. */
void pev_end_pieces(struct pev_local *l, struct ses_server *s);

/* Consume what the guest has handed over, then settle. */
void pev_settle_all(struct pev_local *l, struct ses_server *s);

/* Attach event `index` to a thread of this guest. Under the lock. Returns 0 or -ENOMEM. */
int pev_attach(struct pev_local *l, const struct ses_server *s, uint32_t index, uint32_t thread, bool is_inherited);

/* Take link i of the list out. Under the lock. */
void pev_detach_one(struct pev_local *l, uint32_t i);

/* The task of link i is gone: take it out. Under the lock. */
void pev_end_link(struct pev_local *l, uint32_t i);

/* Take links out: those of `event` (PEV_NONE: of all). Under the lock. */
void pev_detach(struct pev_local *l, uint32_t event);

/* Events that others opened on this guest get their links; links of events that are gone go. Under the lock. */
void pev_adopt(struct pev_local *l, const struct ses_server *s);

/* Are there such events? Under the lock. */
bool pev_has_new(const struct pev_local *l, const struct ses_server *s);

/* What others have changed on the board takes effect where the guest is now (session/serve/meet.h); nothing happens when it
 * does not stand yet. It moves neither clocks nor samples, because the host decides when it happens. Without the lock. */
void pev_look(struct pev_local *l, struct ses_server *s);

/* Until every other server has acted on all news, or for about `ms` milliseconds, this one goes on acting on theirs, whose
 * guest waits for an answer. Without the lock. */
void pev_await(struct pev_local *l, struct ses_server *s, unsigned ms);

/* The event ends: nobody has a descriptor of it, or it mapped. Under the lock. */
void pev_remove(struct pev_local *l, uint32_t event);

/* Close what the program has closed. Under the lock. */
void pev_reap(struct pev_local *l);

/* Tell the program of events whose tasks are all gone. Under the lock. */
void pev_hang_up(struct pev_local *l);

/* Let other groups count when their turn has come, behind an instruction of which all is known: after pev_look_on(), when the model was told what
 * comes next, without the lock. */
void pev_turn(struct pev_local *l, struct ses_server *s);

/* Time in ns until another group's turn, as of the last look; 0: it has come. */
uint64_t pev_turn_left(const struct pev_local *l);

/* Is there a set of counters for these events (indices on the board), each with its own? counter[i] receives
 * them. */
bool pev_fits(const struct pev_local *l, const uint32_t *event, unsigned n, int8_t *counter);

/* ---- ask.c -------------------------------------------------------------------------------------- */

/* REQ_PERF. Returns enum req_answer. */
uint32_t pev_ask(void *ctx, struct ses_server *s);

#endif
