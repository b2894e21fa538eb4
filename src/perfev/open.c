/* open.c -- a new event: what it counts, its group, its tasks and its descriptor. Error numbers
 * are the kernel's. */
#include "perfev/open.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perfev/local.h"
#include "perfev/read.h"
#include "perfev/refused.h"
#include "perfev/sampling.h"
#include "session/serve/birth.h"
#include "session/serve/reading.h"

/* for the server of a process to take an event over: it may just be starting */
#define ADOPT_MS 2000u

/* Checks whether the group of `leader` may get event e as a member. Returns 0 or a negative error
 * number. */
static int check_group(const struct pev_local *l, const struct pev_event *leader,
		       const struct pev_event *e, bool is_hw)
{
	uint32_t member[PEV_MOST_PLACED];
	int8_t counter[PEV_MOST_PLACED];
	unsigned n = 0;

	for (uint32_t i = 0; leader && i < l->board->n_used; i++) {
		const struct pev_event *x = &l->board->event[i];

		if (x != e && x->is_live && &l->board->event[x->leader] == leader &&
		    x->what.kind == PEV_HARDWARE && n < PEV_MOST_PLACED - 1)
			member[n++] = i;
	}
	if (is_hw)
		member[n++] = (uint32_t)(e - l->board->event);
	return pev_fits(l, member, n, counter) ? 0 : -EINVAL;
}

static bool is_cpu(const struct ses_server *s, int32_t cpu)
{
	return cpu >= 0 && (uint32_t)cpu < (s->cfg->model.n_cpus ? s->cfg->model.n_cpus : 1);
}

/* Which tasks: fills task, thread, cpu. Returns 0 or an error. */
static int choose_task(struct pev_event *e, const struct req_perf_open *o,
		       const struct ses_server *s)
{
	e->cpu = o->cpu;
	/* no descriptor is one of a control group here, which is said last */
	if (o->flags & PERF_FLAG_PID_CGROUP)
		return is_cpu(s, o->cpu) ? 0 : -EINVAL;
	if (o->pid == -1) {
		if (!is_cpu(s, o->cpu) || e->attr.sigtrap)
			return -EINVAL;
		if (!o->may_kernel)
			return -EACCES; /* all processes of a processor: perf_event_paranoid is 2 */
		e->task = -1;
		e->thread = PEV_ANY_THREAD;
		return 0;
	}
	if (o->cpu != -1 && !is_cpu(s, o->cpu))
		return -EINVAL;
	if (o->thread >= 0) {
		e->task = 0;
		e->thread = (uint32_t)o->thread;
		return 0;
	}
	if (kill(o->pid, 0))
		return errno == ESRCH ? -ESRCH : -EACCES;
	e->task = o->pid;
	e->thread = 0;
	return 0;
}

static int check_leader(const struct pev_local *l, const struct pev_event *e, uint32_t leader)
{
	const struct pev_event *x = &l->board->event[leader];

	if (x->leader != leader || !pev_has_same_clock(x, e) || x->cpu != e->cpu ||
	    x->task != e->task || x->thread != e->thread || x->attr.inherit != e->attr.inherit)
		return -EINVAL;
	if (e->attr.pinned || e->attr.exclusive)
		return -EINVAL;
	return 0;
}

/* Fills the buffer of the program's end, which our end never reads: so poll(2) never calls the
 * descriptor writable, as for a kernel's event. */
static void fill_up(int fd)
{
	static const char filling[2048];

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){0}, sizeof(int)); /* the least there is */
	while (send(fd, filling, sizeof(filling), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		;
}

/* The program's end of a new descriptor goes over the socket; ours is kept. *key receives its
 * inode. */
static int make_descriptor(struct pev_local *l, const struct ses_server *s, uint32_t index,
			   uint64_t *key)
{
	int pair[2], rc;
	struct stat st;

	if (l->n_owned == l->room_owned) {
		const uint32_t room = l->room_owned ? 2 * l->room_owned : 16;
		struct pev_owned *p = realloc(l->owned, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->owned = p;
		l->room_owned = room;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fill_up(pair[1]);
	rc = fstat(pair[1], &st) ? -errno : ses_send_fds(s->sock, &pair[1], 1) ? -EMFILE : 0;
	close(pair[1]);
	if (rc) {
		close(pair[0]);
		return rc;
	}
	*key = st.st_ino;
	l->owned[l->n_owned++] = (struct pev_owned){.event = index, .fd = pair[0]};
	return 0;
}

/* With a counter mask or edge single clocks are looked at, in which the model compares only what
 * this run was asked to beforehand (-e). */
static void find_comparison(const struct ses_server *s, struct evt_event *e)
{
	for (size_t i = 0; (e->cmask || e->edge) && i < s->cfg->n_event; i++) {
		const struct evt_event *x = &s->cfg->event[i];

		if (x->watch && x->event == e->event && x->umask == e->umask &&
		    x->cmask == e->cmask && x->inv == e->inv && x->edge == e->edge)
			e->watch = x->watch;
	}
}

/* Everything about a new event that needs no descriptor yet. */
static int fill_event(struct pev_local *l, struct ses_server *s, const struct req_perf_open *o,
		      uint32_t index)
{
	struct pev_event *e = &l->board->event[index];
	uint32_t leader = o->group ? pev_board_find(l->board, o->group) : PEV_NONE;
	const bool is_member = leader != PEV_NONE && !(o->flags & PERF_FLAG_FD_NO_GROUP);
	bool is_hw;
	int rc;

	if (o->group && leader == PEV_NONE)
		return -EBADF;
	rc = choose_task(e, o, s);
	if (rc)
		return rc;
	rc = pev_what(s->cfg->model.cpu, &e->attr, &e->what);
	if (!rc && e->what.kind == PEV_HARDWARE && e->attr.exclude_user && !e->attr.exclude_kernel)
		rc = -EOPNOTSUPP; /* kernel mode alone: softpmu runs none of it */
	if (rc) {
		pev_note_refused(s, e, rc);
		return rc;
	}
	is_hw = e->what.kind == PEV_HARDWARE;
	if (is_hw)
		find_comparison(s, &e->what.event);
	if (is_hw && !e->attr.exclude_user &&
	    ses_read_event(s, &e->what.event).status != EVT_COUNTED) {
		pev_note_refused(s, e, -ENOENT);
		return -ENOENT;
	}
	if (e->attr.aux_output)
		return -EOPNOTSUPP; /* nothing here writes an area of its own */
	if (o->flags & PERF_FLAG_PID_CGROUP)
		return -EBADF;
	rc = pev_attr_check_late(&e->attr, is_hw);
	if (rc)
		return rc;
	if (is_member) {
		rc = check_leader(l, e, leader);
		if (rc)
			return rc;
		if (!pev_may_join(l->board, leader, e))
			return -E2BIG;
		e->leader = leader;
	}
	rc = check_group(l, is_member ? &l->board->event[leader] : NULL, e, is_hw);
	if (rc) {
		pev_note_full(l, s, e);
		return rc;
	}
	pev_note_opened(s, e);
	e->run = e->attr.disabled ? PEV_OFF : PEV_ON;
	return pev_sampling_open(e,
				 is_member || (o->flags & PERF_FLAG_FD_OUTPUT) ? leader : PEV_NONE,
				 leader != PEV_NONE && l->board->event[leader].map_bytes, o->flags);
}

static bool is_attached(const struct pev_local *l, uint32_t index)
{
	return __atomic_load_n(&l->board->event[index].was_linked, __ATOMIC_ACQUIRE);
}

/* Attach a new event to its tasks. Under the lock, which is given back for a while when they are
 * another server's. */
static int attach(struct pev_local *l, struct ses_server *s, uint32_t index)
{
	struct pev_event *e = &l->board->event[index];
	uint32_t news;
	bool is_known;
	int rc = 0;

	if (e->task == 0)
		rc = pev_attach(l, s, index, e->thread, false) ? -ENOMEM : 0;
	else if (e->task == -1)
		pev_adopt(l, s);
	pev_settle(l, s);
	pev_schedule(l, s);
	if (rc || e->task == 0)
		return rc;
	pev_board_call(l->board);
	news = __atomic_load_n(&l->board->news, __ATOMIC_SEQ_CST);
	is_known = e->task == -1 || pev_board_may_know(l->board, e->task);
	pev_unlock(l->board);
	for (unsigned i = 0; i < ADOPT_MS && (e->task == -1 ? !i : !is_attached(l, index)); i++) {
		const struct timespec pause = {0, 1000000};

		pev_await(l, s, 1);
		/* its server has not entered the board yet, so pev_await() did not wait for it */
		if (e->task > 0 && !is_attached(l, index))
			nanosleep(&pause, NULL);
		if (e->task > 0 && kill(e->task, 0) && errno == ESRCH)
			break;
		if (!is_known && pev_board_have_seen(l->board, news))
			break; /* a process outside of the run */
	}
	pev_lock(l->board);
	return e->task == -1 || is_attached(l, index) ? 0 : -ESRCH;
}

int64_t pev_open_event(struct pev_local *l, struct ses_server *s, struct req_box *b)
{
	struct req_perf_open o;
	struct perf_event_attr attr;
	uint32_t index;
	int64_t rc;

	memcpy(&o, b->pages[0], sizeof(o));
	if (o.flags & ~PEV_FLAGS_ALL)
		return -EINVAL;
	rc = pev_attr_read(b->pages[1], o.attr_bytes, &attr);
	if (rc == -E2BIG)
		b->result[1] = PEV_ATTR_BYTES;
	if (!rc)
		rc = pev_attr_check(&attr, o.may_kernel != 0);
	if (!rc && (o.flags & PERF_FLAG_PID_CGROUP) && (o.pid == -1 || o.cpu == -1))
		rc = -EINVAL;
	if (rc)
		return rc;
	pev_settle_all(l, s);
	ses_read_fed(s);
	pev_lock(l->board);
	pev_reap(l);
	index = pev_board_add(l->board);
	if (index == PEV_NONE) {
		pev_unlock(l->board);
		return -EMFILE;
	}
	l->board->event[index].attr = attr;
	l->board->event[index].owner = getpid();
	l->board->event[index].opener = o.opener;
	rc = fill_event(l, s, &o, index);
	if (!rc)
		rc = attach(l, s, index);
	if (!rc)
		rc = make_descriptor(l, s, index, &l->board->event[index].key);
	if (!rc)
		pev_note_plain(s, &l->board->event[index]);
	if (rc) {
		pev_detach(l, index);
		pev_board_remove(l->board, index);
		pev_board_call(l->board);
	}
	pev_unlock(l->board);
	return rc;
}
