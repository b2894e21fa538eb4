/* table.h -- one table of descriptors that processes with memories of their own use (clone with
 * CLONE_FILES alone).
 *
 * RULE   the runtimes of all of them keep their descriptors in that table, at numbers of their own,
 *        and write them down in a page that all have mapped. All descriptors in the page are hidden
 *        from all programs. A process that ends removes its own; those of a killed process are
 *        removed by the next birth in the table. Until then its life pipe has a reader: softpmu
 *        looks at the process instead (shr_ctl.watch_pid). Before exec a process leaves the table,
 *        as the kernel has it leave.
 * RULE   births, copies of the table and calls that close descriptors come one after the other:
 *        so a descriptor that is not written down yet is neither closed nor copied. A thread that
 *        has waited a second goes on, because another one was killed or stopped there, or hangs in
 *        close(2).
 * NOT MODELLED   dup2 to a number that the runtime of another process has is EBADF; while a
 *                child is born, the other processes may see three numbers taken, and files that
 *                the runtime reads itself are no births. exec that fails at the last moment
 *                leaves its process with a table of its own.
 * SOURCES        clone(2), unshare(2), close_range(2).
 */
#ifndef SOFTPMU_GUEST_TABLE_H
#define SOFTPMU_GUEST_TABLE_H

#include <stdint.h>

#include "guest/files/hidden.h"

struct gst;
struct gst_process;

/* The descriptors of one runtime in the table. */
struct gst_table_row {
	uint32_t pid; /* 0: the row is free */
	int fd[GST_N_HIDDEN];
};

#define GST_TABLE_ROWS 78u /* processes at a time */
struct gst_table {
	uint32_t holder; /* the thread whose turn it is; 0: none has it */
	uint32_t n_holds;
	struct gst_table_row row[GST_TABLE_ROWS];
};

/* A turn. */
struct gst_table_hold {
	struct gst_table *table; /* NULL: no other process uses it */
	uint32_t tid;
};

/* The holder of the baton takes its turn at the table, and keeps the baton meanwhile. Cost: nothing
 * while no other process shares the table. */
struct gst_table_hold gst_table_hold(const struct gst *g);
void gst_table_let_go(struct gst_table_hold hold);

/* Descriptor number n of the table's runtimes: -1, or GST_NO_MORE behind the last. */
int gst_table_nth(const struct gst_table *table, unsigned n);

/* The holder's process is about to start one that shares its table, or gets a copy of a table
 * that others use: fd[] are the new one's memory, socket and life pipe, which move up. Returns
 * its row, or -errno: nothing has changed. */
long gst_table_birth(struct gst *g, int *fd);

/* The kernel's answer to that: the child's number, or an error or -1: it has none in this table. */
void gst_table_born(struct gst *g, uint32_t row, long pid);

/* In the child: the row is its own. */
void gst_table_child(struct gst *g, uint32_t row);

/* The descriptors in *h have changed: write them into the runtime's row. */
void gst_table_note(struct gst_hidden *h);

/* The calling process got a copy of the table: it closes the descriptors of the other runtimes in
 * its copy. */
void gst_table_part(struct gst_hidden *h);

/* Process p, which uses *h, is gone or nearly (is_self: it is the calling process). heir:
 * another process in this memory that uses the same *h; NULL: none. */
void gst_table_leave(struct gst_hidden *h, const struct gst_process *heir, int is_self);

#endif
