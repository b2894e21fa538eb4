/* sampling.h -- events that overflow: periods, refreshes, samples, and the signals that the
 * program gets.
 *
 * COUNTING RULES   an event overflows at the instruction that brings its count to the period.
 *                  Each task counts a period of its own. An instruction that counts k makes
 *                  floor(k / period) overflows, and a sample for each. The sample's address is
 *                  that instruction. Its count includes all that it counts itself, as if no
 *                  later instruction shared its group in the pipes (mdl_peek). A mispredicted
 *                  branch counts at the branch, although the misprediction is known only later.
 *                  With sigtrap each overflow is a SIGTRAP to its thread, also where the event
 *                  is inherited. Its address is that of the page fault, or 0 for events of the
 *                  processor, which samples no addresses. A frequency becomes a period by model
 *                  time. Each sample sets it anew, to at most eight times the last; what was
 *                  counted beyond the old period belongs to the new one.
 * HOW              samples alone: the model is fed pieces that cannot overflow by the bounds of
 *                  what they execute (limits.h). A block that could overflow is cut after each
 *                  instruction that could (session/serve/pieces.h). The program runs on
 *                  meanwhile, so the record is exact but the moment at which it is written is
 *                  not. Cutting costs no clocks: the pieces share the pipes as the block does,
 *                  the model knows which instruction follows, and totals are read without ending
 *                  what is under way (pev_look_ahead). Signals, and samples that show callers,
 *                  registers or the stack: the guest runs on credit and stops after the
 *                  instruction that overflowed (credit.h). With --skid model the interrupt of an
 *                  overflow reaches the processor some clocks later and is taken between two
 *                  instructions, at that clock or the first one after it. Stopping moves no
 *                  clock either.
 * NOT MODELLED     an interrupt between two iterations of a REP instruction: it comes after all
 *                  of them. The SIGTRAP of an overflow at the instruction of a system call comes
 *                  after the call and does not interrupt it.
 */
#ifndef SOFTPMU_PERFEV_SAMPLING_H
#define SOFTPMU_PERFEV_SAMPLING_H

#include "perfev/local.h"

/* Set up the sampling side of a new event. `other`: the event of group_fd,
 * or PEV_NONE; has_ring: `other` has a ring. Returns 0 or a negative error number. */
int pev_sampling_open(struct pev_event *e, uint32_t other, bool has_ring, uint32_t flags);

/* Returns true if the times of both come from one clock. */
bool pev_has_same_clock(const struct pev_event *a, const struct pev_event *b);

/* PERF_EVENT_IOC_REFRESH, _PERIOD, _SET_OUTPUT (key of the other event, 0: none). Under the
 * lock. */
int pev_sampling_refresh(struct pev_event *e, int64_t n);
int pev_sampling_period(struct pev_event *e, uint64_t period);
int pev_sampling_output(struct pev_local *l, uint32_t index, uint64_t key);

/* PERF_EVENT_IOC_PAUSE_OUTPUT: stop or allow writing into the event's ring. Returns 0, or
 * -EINVAL without a ring. */
int pev_sampling_pause(struct pev_local *l, uint32_t index, bool is_paused);

/* Feed records to the model in pieces that suit the links: thread by thread, and near overflows
 * block by block. Returns as mdl_feed(). */
int pev_feed(struct pev_local *l, struct ses_server *s, const uint8_t *bytes, size_t n);

/* Execution goes on at the begin of `block`, or at pc for PEV_NONE: deal with all that the
 * instructions before it counted. Returns as mdl_feed(). */
int pev_look_ahead(struct pev_local *l, struct ses_server *s, uint64_t pc, uint32_t block);

/* Returns the clocks of the model up to the last record that it was fed; 0 when it has no
 * clocks. */
uint64_t pev_clocks(const struct pev_local *l, const struct ses_server *s);

/* Returns true if a sample of e shows more than an address; if the guest must stop where the
 * link overflows. */
bool pev_wants_state(const struct pev_local *l, const struct pev_event *e);
bool pev_stops(const struct pev_local *l, const struct pev_link *link);

/* Returns true if the guest maps the link's page and the link's event takes turns: then the guest
 * stops where a turn ends, as by the kernel's timer, so that the page shows whose turn it is. */
bool pev_shows_turns(const struct pev_local *l, const struct pev_link *link);

/* Returns true if the guest must stop for a page fault, which it does before the instruction.
 * Under the lock, or where links do not change. */
bool pev_stops_for_faults(const struct pev_local *l);

/* Tell the guest what to send with its questions. asks: it shall ask for credit at its next
 * boundary. Under the lock. */
void pev_tell_guest(struct pev_local *l, const struct ses_server *s, bool asks);

/* Put the signals of events with sigtrap that have overflowed into the answer that the guest
 * gets next. */
void pev_tell_traps(struct pev_local *l, const struct ses_server *s);

/* Take the registers and the stack that the guest sent with its question for credit
 * (REQ_PERF_CREDIT), if it did. */
void pev_take_state(struct pev_local *l, const struct req_box *b);

/* Returns the current thread and the time. */
struct pev_stamp pev_stamp_now(const struct pev_local *l, const struct ses_server *s);

/* Returns the address of instruction number `insn` of a block (PEV_LAST_INSN: the last one of
 * the block fed last). */
uint64_t pev_address_of(const struct pev_local *l, const struct ses_server *s, uint32_t block,
			uint64_t insn);

/* Deal with the overflows that pev_settle() found. block: the block that was fed last, alone, or
 * PEV_NONE; insn: the instruction of it that was fed, or PEV_LAST_INSN when only the target of
 * its last instruction became known. */
#define PEV_LAST_INSN UINT64_MAX
void pev_overflows(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn);

/* Write records: the current thread is called `name` now; is_exec: because it executes another
 * program. Under the lock. */
void pev_tell_name(struct pev_local *l, struct ses_server *s, const char *name, bool is_exec);

/* Write records, while the links that they belong to are there, under the lock:
 *   birth           process `pid`, a child of that thread, has begun;
 *   borrower_gone   process `pid`, which borrowed its parent's memory (vfork), has ended;
 *   thread          the guest's thread `parent` has started thread `tid`;
 *   gone            the guest's thread `thread` has ended;
 *   end             the guest has ended. */
void pev_tell_birth(struct pev_local *l, uint32_t pid, uint32_t parent_pid, uint32_t parent_tid);
void pev_tell_borrower_gone(struct pev_local *l, uint32_t pid, uint32_t parent_pid,
			    uint32_t parent_tid);
void pev_tell_thread(struct pev_local *l, struct ses_server *s, uint32_t parent, uint32_t tid);
void pev_tell_gone(struct pev_local *l, struct ses_server *s, uint32_t thread);
void pev_tell_end(struct pev_local *l, struct ses_server *s);

/* Wake readers of rings that have enough in them. Under the lock. */
void pev_wake(struct pev_local *l);

#endif
