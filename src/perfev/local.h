/* local.h -- the performance events of one guest, in its server: which tasks they are attached
 * to, and what they count.
 *
 * COUNTING RULES   an event counts while it and the leader of its group are on, a thread that it
 *                  is attached to runs, and it has a counter. Counts change hands at boundaries
 *                  of the guest's instructions: the system call that starts or stops an event is
 *                  the border. What a child counts under an inherited event is added to that
 *                  event. Time is the model's: clocks at the processor's frequency where the run
 *                  counts clocks, else a nanosecond per instruction. While a child borrows the
 *                  guest's memory (vfork), inherited events alone count.
 * MODELLED         inherit and inherit_thread over fork and threads, enable_on_exec,
 *                  remove_on_exec; with two counters the constraints of events, pinned groups
 *                  first, the others taking turns (turns.c).
 */
#ifndef SOFTPMU_PERFEV_LOCAL_H
#define SOFTPMU_PERFEV_LOCAL_H

#include "perfev/board.h"
#include "session/serve/pieces.h"
#include "session/serve/serve.h"
#include "session/serve/service.h"
#include "session/faults/touches.h"

#define PEV_KNOWN_TIDS	64u
#define PEV_PAGE_BYTES	4096u
#define PEV_MOST_PLACED 64u /* events that have a counter, or take part as if */

/* One event on one task. */
struct pev_link {
	uint32_t event;		/* index on the board */
	uint64_t id;		/* of that event: another one may have taken its place */
	uint32_t thread;	/* number in the guest, or PEV_ANY_THREAD */
	bool is_inherited;	/* it was opened on an ancestor of this task */
	uint64_t from;		/* the model's count when the link was last settled */
	bool is_fresh;		/* `from` is not known yet */
	uint64_t period;	/* 0 = no samples */
	uint64_t left;		/* until the next overflow */
	uint64_t n_over;	/* overflows not dealt with yet */
	uint64_t over_pc;	/* of the instruction that brought the last of them, if known */
	uint64_t over_addr;	/* address that it touched; 0 = not known */
	uint64_t due_clk;	/* clock at which the interrupt is due; 0 = none is on its way */
	struct mdl_bound bound; /* which number of the room bounds it (limits.h) */
	bool is_apart;		/* not counted by instructions: faults and switches (software.c) */
	uint64_t sampled_ns;	/* time of its last sample */
	uint32_t news;		/* pev_event.news when its period was read */
	/* since the last pev_schedule() */
	bool is_enabled, is_running;
	int8_t counter;		/* hardware counter, -1 none */
	uint32_t turns;		/* it has a counter in so many of pev_local.n_turns turns */
	uint64_t paged;		/* count when its page was written; its counter shows the rest */
	uint64_t rest, rest_ns; /* what such turns counted, less whole turns: parts of a turn */
};

/* The other end of a descriptor that this server's guest opened. */
struct pev_owned {
	uint32_t event;
	int fd;
	bool has_hung_up; /* its tasks are gone, and poll(2) shows POLLHUP */
};

/* How many bytes of an event's page and ring the guest has mapped. */
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

/* The task and the time of a record. */
struct pev_stamp {
	uint32_t pid, tid;
	uint64_t ns;
};

struct pev_local {
	struct ses_service service;
	struct pev_board *board; /* shared */
	int rings_fd;		 /* file of the memory that programs map, -1 none yet */
	uint8_t *rings;		 /* that file, mapped here */
	unsigned n_counters;	 /* 0 = any number */
	struct pev_link *link;	 /* owned */
	uint32_t n_link, room_link;
	struct pev_owned *owned; /* owned */
	uint32_t n_owned, room_owned;
	struct pev_held *held; /* owned */
	uint32_t n_held, room_held;
	uint32_t seen;		   /* pev_board.news that this server has acted on */
	uint32_t seen_wakes;	   /* pev_board.wakes that it has acted on */
	uint64_t unshown_since_ns; /* host time since which a ring's head is not shown; 0 = none */
	uint32_t now;		   /* the thread that runs */
	uint32_t now_cpu;	   /* the modelled processor that it runs on */
	uint32_t n_vfork;
	struct pev_borrower {
		uint32_t pid, tid;   /* of its parent, which waits */
		bool is_untold;	     /* no record says yet that it began */
	} borrower[SES_VFORK_MOST];  /* n_vfork of them */
	uint64_t n_switches;	     /* context switches of the guest's threads */
	uint64_t n_faults;	     /* page faults of the guest's threads */
	struct ses_touches *touches; /* owned; NULL while no event here counts page faults */
	bool is_beginning; /* the stream has named no thread yet: naming one is no switch */
	uint64_t last_ns;  /* model time of the last settling */
	uint64_t turn_ns;  /* model time when the groups' turn began */
	uint32_t turn;	   /* the flexible group that is first in this turn */
	bool has_programmed[SHR_N_COUNTERS]; /* this counter has held an event of the program */
	unsigned n_sampled;		     /* running links with a period */
	bool has_readers;		     /* an event wants records of mappings and tasks */
	uint64_t last_pc, last_addr;	     /* addresses of the last sample */
	uint32_t last_block;	/* the block fed last while events sampled, or PEV_NONE */
	uint64_t last_block_pc; /* its address, because ids may have become void since */
	uint32_t last_insn;	/* its last instruction that was executed */
	/* it was fed in pieces: what its last instruction counts is looked for before the next
	 * block */
	bool is_in_pieces;
	uint32_t own_pid, own_tid; /* the guest and its thread that is about to fork; 0 = none */
	uint32_t parent_pid, parent_tid; /* of the guest; 0 = it is the first */
	bool is_untold; /* the guest is a child, and no record says yet that it began */
	uint32_t tid[PEV_KNOWN_TIDS];	      /* of the guest's threads, where known */
	const struct cat_event *instructions; /* the event that counts them, or NULL */
	bool has_turns;		/* there are more groups than counters: groups take turns */
	uint32_t n_turns;	/* turns until each group had one, if turns take no time; else 1 */
	struct evt_event clock; /* event that counts clocks; .event NULL: none on this processor */
	uint64_t fed_bytes;	/* of records, since pev_pages_age() last looked */
	uint32_t skid_clk;	/* from an overflow to its interrupt (--skid model); 0 = none */
	/* Where overflows stop the guest: its state as its last two questions gave it. */
	struct pev_state *now_state, *before_state; /* owned, NULL until the first */
	bool is_stopped;			    /* it stands at now_state */
	bool is_ahead; /* the overflows dealt with now come after now_state */
	bool is_step;  /* the last answer let it execute one instruction or block */
	bool is_told;  /* the question to that answer gave its state */
	/* A breakpoint in the code of the block that the guest executes next. */
	struct {
		bool is_set;
		uint8_t was;	   /* the byte that it replaced */
		uint32_t at;	   /* its place */
		uint32_t n_clears; /* x86_store_clears() when it was set; more: it is gone */
	} stop;
	bool is_asked; /* the guest waits for an answer, so it stands at a boundary */
	struct shr_trap trap[SHR_MOST_TRAPS]; /* for the next answer, at most one per thread */
	uint32_t n_traps;
	uint64_t rest_at;	/* the guest's open chunk as it was seen last */
	uint64_t rest_since_ns; /* host time since which it is so, in a system call; 0 = in none */
	bool is_unborn;		/* the guest has no number yet */
	bool is_closed;		/* the guest is gone */
};

static inline struct pev_event *pev_event_of(const struct pev_local *l, const struct pev_link *link)
{
	return &l->board->event[link->event];
}

/* Returns true if the event is still the one that the link was made for. */
static inline bool pev_is_current(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = pev_event_of(l, link);

	return e->is_live && e->id == link->id;
}

/* Add what the links have counted up to here. The model has been fed everything before. */
void pev_settle(struct pev_local *l, struct ses_server *s);

/* As pev_settle(), in the middle of the stream: instructions that the model has not finished stay
 * unfinished (ses_peek()). */
void pev_look_on(struct pev_local *l, struct ses_server *s);

/* Decide which links are on, and which of them have a counter, from here on. Under the lock,
 * after pev_settle(). */
void pev_schedule(struct pev_local *l, struct ses_server *s);

/* Returns true if time follows the model's clocks; else an instruction takes a nanosecond. */
bool pev_is_timed(const struct pev_local *l, const struct ses_server *s);

/* If the last block was fed in pieces, look now at what its last instruction counted, although
 * nothing follows it yet. */
void pev_end_pieces(struct pev_local *l, struct ses_server *s);

/* Feed the model what the guest has handed over, then settle. */
void pev_settle_all(struct pev_local *l, struct ses_server *s);

/* Attach event `index` to a thread of this guest. Under the lock. Returns 0 or -ENOMEM. */
int pev_attach(struct pev_local *l, const struct ses_server *s, uint32_t index, uint32_t thread,
	       bool is_inherited);

/* Take link i out of the list. Under the lock. */
void pev_detach_one(struct pev_local *l, uint32_t i);

/* The task of link i is gone: take it out. Under the lock. */
void pev_end_link(struct pev_local *l, uint32_t i);

/* Take the links of `event` (PEV_NONE: all links) out. Under the lock. */
void pev_detach(struct pev_local *l, uint32_t event);

/* Make links for events that other servers opened on this guest, and take links of ended events
 * out. Under the lock. */
void pev_adopt(struct pev_local *l, const struct ses_server *s);

/* Returns true if pev_adopt() has something to do. Under the lock. */
bool pev_has_new(const struct pev_local *l, const struct ses_server *s);

/* Let changes that other servers made on the board take effect where the guest stands now
 * (session/serve/meet.h); do nothing if it does not stand. This moves neither clocks nor
 * samples, because the host decides when it happens. Without the lock. */
void pev_look(struct pev_local *l, struct ses_server *s);

/* Wait until every other server has acted on all news, at most about `ms` milliseconds, and act
 * on their news meanwhile. The guest of this server waits for an answer. Without the lock. */
void pev_await(struct pev_local *l, struct ses_server *s, unsigned ms);

/* End the event, of which no descriptor and no mapping is left. Under the lock. */
void pev_remove(struct pev_local *l, uint32_t event);

/* Close the other ends of descriptors that the program has closed. Under the lock. */
void pev_reap(struct pev_local *l);

/* Show the program POLLHUP on events whose tasks are all gone. Under the lock. */
void pev_hang_up(struct pev_local *l);

/* Let other groups count when their turn has come, after an instruction whose counts are
 * complete: after pev_look_on(), when the model knows what comes next. Without the lock. */
void pev_turn(struct pev_local *l, struct ses_server *s);

/* Returns the ns until another group's turn, as of the last look; 0: it has come. */
uint64_t pev_turn_left(const struct pev_local *l);

/* Returns true if each of these n events (indices on the board) can have a counter of its own,
 * and sets counter[i]. */
bool pev_fits(const struct pev_local *l, const uint32_t *event, unsigned n, int8_t *counter);

/* ---- ask.c ----------------------------------------------------------------------------------- */

/* REQ_PERF. Returns enum req_answer. */
uint32_t pev_ask(void *ctx, struct ses_server *s);

#endif
