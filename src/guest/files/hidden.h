/* hidden.h -- the runtime's own descriptors, which the program must not see.
 *
 * They lie high, where programs seldom look. Calls that name one of them are answered as if it
 * were not open; a program that wants the very number (dup2) gets it, and the runtime's moves
 * on.
 *
 * MODELLED       every call whose arguments are descriptors (syscalls.def), mmap, socketcall,
 *                close_range; those that poll, select, sendmsg and sendmmsg name in memory; the
 *                list in /proc/self/fd, and paths to them there. Those of other runtimes in the
 *                same table, too (table.h).
 * NOT MODELLED   a program that opens more than about 1000 files meets gaps in the numbers.
 */
#ifndef SOFTPMU_GUEST_HIDDEN_H
#define SOFTPMU_GUEST_HIDDEN_H

#include "trace/share.h"

/* Indices are enum shr_fd; then the life pipes of other processes that share this table of
 * descriptors, -1: none. */
#define GST_MORE_LIVES 8
#define GST_N_HIDDEN   (SHR_N_FDS + GST_MORE_LIVES)
#define GST_NO_MORE    (-2)
struct gst_table;
struct gst_hidden {
	int fd[GST_N_HIDDEN];
	struct gst_table *table; /* that other runtimes use, too (table.h); NULL: there are none */
	uint32_t row;		 /* its own in it */
};

struct gst;

/* Take over descriptors from softpmu: move each to a high number. */
void gst_hidden_start(struct gst *g, const int *fd);

/* Take fd over in place of hidden descriptor `which`. */
void gst_hidden_replace(struct gst *g, enum shr_fd which, int fd);

/* Hidden descriptor number n = 0, 1 ...: -1: none; GST_NO_MORE: there is none from here on. */
int gst_hidden_nth(const struct gst *g, unsigned n);

/* Move fd to a high number, where there is one. Returns where it is. */
int gst_hidden_up(int fd);

/* True when the program must not see `fd`. */
int gst_is_hidden(const struct gst *g, uint64_t fd);

/* True when one of the arguments a[0..5] that are descriptors (bit n: a[n]) is hidden. */
int gst_names_hidden(const struct gst *g, uint32_t descriptors, const uint64_t *a);

#define GST_NOT_LISTED (-20001l)

/* hidden_lists.c: the call being executed, with arguments a[0..5], names descriptors in memory.
 * GST_NOT_LISTED: none of them is hidden; else the answer to the call. */
long gst_hidden_lists(struct gst *g, const uint64_t *a);

/* The program wants number fd for itself: make room. Returns 0, or -EBADF: another process's
 * runtime has it. */
long gst_hidden_move(struct gst *g, uint64_t fd);

/* This process dies when softpmu does: listen to the life pipe. Again after fork and after the
 * identity changed. */
void gst_life_listen(struct gst *g);

/* The calling process dies when life pipe `fd` ends: the kernel's signal for that is SIGKILL. */
void gst_life_of(int fd);

/* gst_life_open: open a life pipe of its own for the calling process, which holds the baton. `in`:
 * the table of this process, or (is_shared) of the one with which it shares its descriptors.
 * Returns its index in in->fd[], or -1 when there is none. gst_life_close: close the one at index
 * `at`. */
int gst_life_open(struct gst_hidden *in, int is_shared);
void gst_life_close(struct gst_hidden *in, int at);

/* In a process that got a copy of a table: life pipes of others. */
void gst_life_close_others(struct gst_hidden *h);

#endif
