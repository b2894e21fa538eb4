/* sampling.h -- events that overflow: periods, refreshes, samples, and what the program is told.
 *
 * COUNTING RULES   an event overflows at the instruction that brings its count to the period. Each task counts a period
 *                  of its own. An instruction that counts k makes k / period overflows, and as many samples. The sample's address is that instruction: behind it the count has reached the period, with all that it
 *                  counts itself and as if nothing shared its group in the pipes that comes later (mdl_peek). A branch that goes
 *                  elsewhere than predicted counts where it is, although that is known behind it.
 *                  With sigtrap each overflow is a SIGTRAP to its thread, also where the event is inherited; its address is that of a
 *                  page fault, 0 of events of the processor, which has no sampled addresses.
 *                  A frequency becomes a period by model time: each sample sets it anew, at most eight times the last, and what was counted
 *                  beyond it is the next one's.
 * HOW              the model is fed in pieces that cannot overflow by the limits of what they execute (limits.h); a block that could is
 *                  cut behind each instruction that could (session/serve/pieces.h). The program has gone on meanwhile: a record in the ring
 *                  is exact, its moment is not. With clocks nothing is longer for it: pieces go together in the pipes as the block does,
 *                  the model is told what instruction follows, and the totals are looked at without ending what waits (pev_look_ahead).
 *                  Where overflows are signals, the guest runs on credit and is stopped behind the instruction that
 *                  overflowed, by construction (credit.h). So it is, too, where a sample shows callers, registers or the stack, and with
 *                  --skid model: then the interrupt of an overflow reaches the processor some clocks later, and is taken at
 *                  the first boundary of instructions at or behind that clock. Stopping moves no clock either: the model looks on
 *                  in the same way.
 * NOT MODELLED     an interrupt between two iterations of a REP instruction: it comes behind all of them. The SIGTRAP of an overflow that
 *                  the instruction of a system call brings comes behind the call, and does not interrupt it.
 */
#ifndef SOFTPMU_PERFEV_SAMPLING_H
#define SOFTPMU_PERFEV_SAMPLING_H

#include "perfev/local.h"

/* The sampling side of a new event; `other`: the event named with it, or PEV_NONE, which has a ring or not. Returns 0 or an error. */
int pev_sampling_open(struct pev_event *e, uint32_t other, bool has_ring, uint32_t flags);

/* Do the times of both come from one clock? */
bool pev_has_same_clock(const struct pev_event *a, const struct pev_event *b);

/* PERF_EVENT_IOC_REFRESH, _PERIOD, _SET_OUTPUT (key of the other event, 0: none). Under the lock. */
int pev_sampling_refresh(struct pev_event *e, int64_t n);
int pev_sampling_period(struct pev_event *e, uint64_t period);
int pev_sampling_output(struct pev_local *l, uint32_t index, uint64_t key);

/* PERF_EVENT_IOC_PAUSE_OUTPUT: nothing is written into the event's ring, or again. Returns 0, or -EINVAL without a ring. */
int pev_sampling_pause(struct pev_local *l, uint32_t index, bool is_paused);

/* Feed records to the model as pev_local needs it: thread by thread, and near overflows block by block. Returns as
 * mdl_feed(). */
int pev_feed(struct pev_local *l, struct ses_server *s, const uint8_t *bytes, size_t n);

/* The program stands, or goes on, at the begin of `block` (PEV_NONE: at pc): deal with all that the instructions before that counted. Returns as
 * mdl_feed(). */
int pev_look_ahead(struct pev_local *l, struct ses_server *s, uint64_t pc, uint32_t block);

/* Clocks of the model up to the last record that it was fed; 0 where it has none. */
uint64_t pev_clocks(const struct pev_local *l, const struct ses_server *s);

/* Does a sample of e show more than an address? Must the guest stand still where a link overflows? */
bool pev_wants_state(const struct pev_local *l, const struct pev_event *e);
bool pev_stops(const struct pev_local *l, const struct pev_link *link);

/* Must it for a page fault, which is in front of its instruction? Under the lock, or where links do not change. */
bool pev_stops_for_faults(const struct pev_local *l);

/* What the guest is to send with its questions; asks: it shall ask for credit at its next boundary. Under the lock. */
void pev_tell_guest(struct pev_local *l, const struct ses_server *s, bool asks);

/* The signals of events with sigtrap that have overflowed go to the guest, with the answer that is being made. */
void pev_tell_traps(struct pev_local *l, const struct ses_server *s);

/* The guest asks for credit (REQ_PERF_CREDIT), and perhaps says how it stands. */
void pev_take_state(struct pev_local *l, const struct req_box *b);

/* The current thread, now. */
struct pev_stamp pev_stamp_now(const struct pev_local *l, const struct ses_server *s);

/* Address of instruction number `insn` of a block (PEV_LAST_INSN: the last one of the block that was fed last). */
uint64_t pev_address_of(const struct pev_local *l, const struct ses_server *s, uint32_t block, uint64_t insn);

/* Deal with the overflows that pev_settle() found; block: the one that was fed last by itself, or PEV_NONE; insn: the instruction
 * of it that was, or */
#define PEV_LAST_INSN UINT64_MAX /* nothing more of it than where its last instruction went */
void pev_overflows(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn);

/* The current thread is called `name` now; is_exec: because it executes another program. Under the lock. */
void pev_tell_name(struct pev_local *l, struct ses_server *s, const char *name, bool is_exec);

/* Process `pid`, a child of that thread, began, with the links that are there; one that borrowed its parent's memory ends; the guest's thread `parent`
 * has started one with number tid; its thread `thread` ends; all of it ends. Each while the links of those are there. Under the lock. */
void pev_tell_birth(struct pev_local *l, uint32_t pid, uint32_t parent_pid, uint32_t parent_tid);
void pev_tell_borrower_gone(struct pev_local *l, uint32_t pid, uint32_t parent_pid, uint32_t parent_tid);
void pev_tell_thread(struct pev_local *l, struct ses_server *s, uint32_t parent, uint32_t tid);
void pev_tell_gone(struct pev_local *l, struct ses_server *s, uint32_t thread);
void pev_tell_end(struct pev_local *l, struct ses_server *s);

/* Wake readers of rings that have enough in them. Under the lock. */
void pev_wake(struct pev_local *l);

#endif
