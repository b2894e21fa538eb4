/* table.c -- a table of descriptors that several runtimes use. Rules: table.h. */
#include "guest/files/table.h"

#include "guest/gst.h"
#include "trace/wait.h"

_Static_assert(sizeof(struct gst_table) <= GST_PAGE, "a table is a page");

#define WAITED_FOR 0x80000000u /* in `holder`: a thread sleeps until its turn */
#define LOOK_NS	   50000000ull
#define PATIENCE   20u /* looks that find an unchanged turn, before a waiting thread goes on */
/* with the parent's number: the row of a child that has none yet */
#define BEING_BORN 0x80000000u

int gst_table_nth(const struct gst_table *table, unsigned n)
{
	const struct gst_table_row *row = &table->row[n / GST_N_HIDDEN];

	if (n >= GST_TABLE_ROWS * GST_N_HIDDEN)
		return GST_NO_MORE;
	return __atomic_load_n(&row->pid, __ATOMIC_ACQUIRE)
		   ? __atomic_load_n(&row->fd[n % GST_N_HIDDEN], __ATOMIC_RELAXED)
		   : -1;
}

static int change(uint32_t *at, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

struct gst_table_hold gst_table_hold(const struct gst *g)
{
	const struct gst_table_hold hold = {gst_process_hidden(g)->table, (uint32_t)g->t->tid};
	uint32_t *at = &hold.table->holder, mine = hold.tid, turn = 0, n_looks = 0;

	while (hold.table) {
		const uint32_t seen = __atomic_load_n(at, __ATOMIC_SEQ_CST);

		if (!seen || n_looks > PATIENCE) {
			if (!change(at, seen, mine))
				continue;
			__atomic_add_fetch(&hold.table->n_holds, 1, __ATOMIC_SEQ_CST);
			break;
		}
		if (!(seen & WAITED_FOR) && !change(at, seen, seen | WAITED_FOR))
			continue;
		trc_futex_wait(at, seen | WAITED_FOR, LOOK_NS);
		mine = hold.tid | WAITED_FOR; /* perhaps others sleep, too */
		n_looks = turn == __atomic_load_n(&hold.table->n_holds, __ATOMIC_SEQ_CST)
			      ? n_looks + 1
			      : 0;
		turn = __atomic_load_n(&hold.table->n_holds, __ATOMIC_SEQ_CST);
	}
	return hold;
}

void gst_table_let_go(struct gst_table_hold hold)
{
	if (!hold.table || change(&hold.table->holder, hold.tid, 0))
		return;
	/* else another one has gone on */
	if (change(&hold.table->holder, hold.tid | WAITED_FOR, 0))
		trc_futex_wake(&hold.table->holder);
}

static void close_row(struct gst_table_row *row)
{
	for (int i = 0; i < GST_N_HIDDEN; i++) {
		if (row->fd[i] >= 0)
			SYS1(close, row->fd[i]);
		row->fd[i] = -1;
	}
}

/* Close the descriptors that killed processes have left, and free their rows. */
static void clean(struct gst_table *table, uint32_t own)
{
	for (unsigned i = 0; i < GST_TABLE_ROWS; i++) {
		struct gst_table_row *row = &table->row[i];
		const uint32_t pid = __atomic_load_n(&row->pid, __ATOMIC_ACQUIRE);

		if (!pid || SYS2(kill, pid & ~BEING_BORN, 0) != -ESRCH ||
		    !change(&row->pid, pid, own | BEING_BORN))
			continue;
		close_row(row);
		__atomic_store_n(&row->pid, 0, __ATOMIC_RELEASE);
	}
}

/* Returns the number of a free row, now of `pid` with all descriptors -1; -1 if no row is free. */
static long take_row(struct gst_table *table, uint32_t pid)
{
	for (unsigned i = 0; i < GST_TABLE_ROWS; i++) {
		if (!change(&table->row[i].pid, 0, pid))
			continue;
		for (int k = 0; k < GST_N_HIDDEN; k++)
			table->row[i].fd[k] = -1;
		return i;
	}
	return -1;
}

/* The page, and the caller's own row in it. Returns 0 or -errno. */
static long begin_table(struct gst *g, struct gst_hidden *h)
{
	const uint64_t at = GST_TABLES + g->n_tables * GST_PAGE;
	long ret;

	if (at >= GST_TABLES + GST_TABLES_BYTES)
		return -ENOMEM;
	ret = SYS6(mmap, at, GST_PAGE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (ret != (long)at)
		return -ENOMEM;
	g->n_tables++;
	h->table = (struct gst_table *)at;
	h->row = (uint32_t)take_row(h->table, g->t->process->files_of->pid);
	gst_table_note(h);
	g->ctl->watch_pid = gst_is_vforked(g) ? g->vfork[0].pid : g->ctl->guest_pid;
	return 0;
}

void gst_table_note(struct gst_hidden *h)
{
	if (h->table)
		for (int i = 0; i < GST_N_HIDDEN; i++)
			__atomic_store_n(&h->table->row[h->row].fd[i], h->fd[i], __ATOMIC_RELAXED);
}

long gst_table_birth(struct gst *g, int *fd)
{
	struct gst_hidden *h = gst_process_hidden(g);
	const uint32_t own = (uint32_t)SYS0(getpid);
	struct gst_table_row *row;
	long ret = h->table ? 0 : begin_table(g, h), image;

	if (ret)
		return ret;
	clean(h->table, own);
	ret = take_row(h->table, own | BEING_BORN);
	if (ret < 0)
		return -EAGAIN;
	row = &h->table->row[ret];
	image = SYS3(fcntl, h->fd[SHR_FD_IMAGE], 0 /* F_DUPFD */, 3);
	if (image < 0) {
		__atomic_store_n(&row->pid, 0, __ATOMIC_RELEASE);
		return -EAGAIN;
	}
	for (int i = 0; i < (int)SHR_N_SENT; i++)
		row->fd[i] = gst_hidden_up(fd[i]);
	row->fd[SHR_FD_IMAGE] = gst_hidden_up((int)image);
	memcpy(fd, row->fd, SHR_N_SENT * sizeof(*fd));
	return ret;
}

void gst_table_born(struct gst *g, uint32_t row, long pid)
{
	struct gst_table_row *r = &gst_process_hidden(g)->table->row[row];
	const uint32_t number = (uint32_t)pid, mine = (uint32_t)SYS0(getpid) | BEING_BORN;

	if (pid > 0) { /* softpmu learns it even when the child is killed at once */
		if (__atomic_load_n(&r->pid, __ATOMIC_ACQUIRE) == mine)
			SYS4(pwrite64, r->fd[SHR_FD_MEMORY], &number, sizeof(number),
			     SHR_CTL_OFF + offsetof(struct shr_ctl, watch_pid));
		change(&r->pid, mine, number);
		return;
	}
	close_row(r);
	__atomic_store_n(&r->pid, 0, __ATOMIC_RELEASE);
}

void gst_table_child(struct gst *g, uint32_t row)
{
	struct gst_hidden *h = gst_process_hidden(g);
	struct gst_table_row *r = &h->table->row[row];

	memcpy(h->fd, r->fd, sizeof(h->fd));
	h->row = row;
	__atomic_store_n(&r->pid, (uint32_t)SYS0(getpid), __ATOMIC_RELEASE);
}

void gst_table_part(struct gst_hidden *h)
{
	struct gst_table *table = h->table;
	int fd;

	h->table = NULL;
	for (unsigned n = 0; table && (fd = gst_table_nth(table, n)) != GST_NO_MORE; n++)
		if (fd >= 0 && n / GST_N_HIDDEN != h->row)
			SYS1(close, fd);
}

void gst_table_leave(struct gst_hidden *h, const struct gst_process *heir, int is_self)
{
	struct gst_table_row *row;

	if (!h->table)
		return;
	row = &h->table->row[h->row];
	if (heir) {
		__atomic_store_n(&row->pid, heir->pid, __ATOMIC_RELEASE);
		return;
	}
	if (!is_self)
		return;
	close_row(row);
	for (int i = 0; i < GST_N_HIDDEN; i++)
		h->fd[i] = -1;
	h->table = NULL;
	__atomic_store_n(&row->pid, 0, __ATOMIC_RELEASE);
}
