/* ask.c -- the guest's questions about performance events, and the answers. Error numbers are
 * the kernel's. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perfev/credit.h"
#include "perfev/files.h"
#include "perfev/local.h"
#include "perfev/map.h"
#include "perfev/open.h"
#include "perfev/read.h"
#include "perfev/ring.h"
#include "perfev/sampling.h"
#include "perfev/software.h"

#define WAIT_MS	   2000u /* for other servers to say what they counted */
#define MOST_WAITS 1000u /* of one system call */

/* ---- ioctl ----------------------------------------------------------------------------------- */

/* Numbers of requests, as REQ_PERF_IOCTL has them. */
enum request {
	ENABLE = _IOC_NR(PERF_EVENT_IOC_ENABLE),
	DISABLE = _IOC_NR(PERF_EVENT_IOC_DISABLE),
	REFRESH = _IOC_NR(PERF_EVENT_IOC_REFRESH),
	RESET = _IOC_NR(PERF_EVENT_IOC_RESET),
	PERIOD = _IOC_NR(PERF_EVENT_IOC_PERIOD),
	SET_OUTPUT = _IOC_NR(PERF_EVENT_IOC_SET_OUTPUT),
	SET_FILTER = _IOC_NR(PERF_EVENT_IOC_SET_FILTER),
	ID = _IOC_NR(PERF_EVENT_IOC_ID),
	SET_BPF = _IOC_NR(PERF_EVENT_IOC_SET_BPF),
	PAUSE_OUTPUT = _IOC_NR(PERF_EVENT_IOC_PAUSE_OUTPUT),
	QUERY_BPF = _IOC_NR(PERF_EVENT_IOC_QUERY_BPF),
	MODIFY = _IOC_NR(PERF_EVENT_IOC_MODIFY_ATTRIBUTES),
};

/* Returns true if the request changes from which moment or from which value the servers of other
 * processes count the event. */
static bool is_for_others(uint64_t request)
{
	return request == ENABLE || request == DISABLE || request == REFRESH || request == RESET ||
	       request == PERIOD;
}

static bool is_of_group(const struct pev_local *l, uint32_t i, uint32_t leader)
{
	return l->board->event[i].is_live && l->board->event[i].leader == leader;
}

static void apply(struct pev_event *e, uint64_t request)
{
	switch (request) {
	case ENABLE: e->run = PEV_ON; break;
	case DISABLE:
		if (e->run == PEV_ON)
			e->run = PEV_OFF;
		break;
	case RESET: __atomic_store_n(&e->count, 0, __ATOMIC_RELAXED); break;
	}
}

static int64_t control(struct pev_local *l, uint32_t index, uint64_t request, uint64_t arg,
		       struct req_box *b)
{
	struct pev_event *e = &l->board->event[index];

	switch (request) {
	case ENABLE:
	case DISABLE:
	case RESET:
		for (uint32_t i = 0; i < l->board->n_used; i++)
			if (arg & PERF_IOC_FLAG_GROUP ? is_of_group(l, i, e->leader) : i == index)
				apply(&l->board->event[i], request);
		return 0;
	case REFRESH: return pev_sampling_refresh(e, (int64_t)(int32_t)arg);
	case PERIOD: return pev_sampling_period(e, arg);
	case SET_OUTPUT: return pev_sampling_output(l, index, arg);
	case ID: b->result[1] = e->id; return 0;
	case SET_FILTER:
	case SET_BPF:
	case QUERY_BPF: return -EINVAL;
	case PAUSE_OUTPUT: return pev_sampling_pause(l, index, arg != 0);
	case MODIFY: /* breakpoints alone can be */
		return arg == e->attr.type ? -EOPNOTSUPP : -EINVAL;
	default: return -ENOTTY;
	}
}

/* Others count for e, too: have them say what they have. */
static void hear_others(struct pev_local *l, struct ses_server *s, const struct pev_event *e)
{
	uint32_t own = 0;

	for (uint32_t i = 0; i < l->n_link; i++)
		own += &l->board->event[l->link[i].event] == e;
	if (e->n_links <= own)
		return;
	pev_board_call(l->board);
	pev_await(l, s, WAIT_MS);
}

/* The event that the question names; PEV_NONE: there is none. hears: all have said what they
 * counted for it. */
static uint32_t find_event(struct pev_local *l, struct ses_server *s, uint64_t key, bool hears)
{
	uint32_t index;

	pev_settle_all(l, s);
	index = pev_board_find(l->board, key);
	if (index != PEV_NONE && hears)
		hear_others(l, s, &l->board->event[index]);
	return index;
}

static int64_t control_event(struct pev_local *l, struct ses_server *s, struct req_box *b)
{
	const uint32_t index = find_event(l, s, b->arg[1], b->arg[2] == RESET);
	int64_t rc;

	if (index == PEV_NONE)
		return -EBADF;
	if (!is_for_others(b->arg[2]))
		return control(l, index, b->arg[2], b->arg[3], b);
	pev_lock(l->board);
	pev_reap(l);
	rc = control(l, index, b->arg[2], b->arg[3], b);
	pev_schedule(l, s);
	pev_unlock(l->board);
	hear_others(l, s, &l->board->event[index]);
	return rc;
}

static int64_t read_event(struct pev_local *l, struct ses_server *s, struct req_box *b)
{
	const uint32_t index = find_event(l, s, b->arg[1], true);
	int64_t rc;

	if (index == PEV_NONE)
		return -EBADF;
	pev_lock(l->board);
	rc = pev_read(l->board, index, b->arg[2] < sizeof(b->pages) ? b->arg[2] : sizeof(b->pages),
		      b->pages[0]);
	pev_unlock(l->board);
	return rc;
}

/* Start or stop what a thread of this guest has opened. */
static int64_t control_task(struct pev_local *l, struct ses_server *s, uint32_t opener, bool is_on)
{
	const pid_t own = getpid();

	pev_settle_all(l, s);
	pev_lock(l->board);
	for (uint32_t i = 0; i < l->board->n_used; i++) {
		struct pev_event *e = &l->board->event[i];

		if (e->is_live && e->owner == own && e->opener == opener)
			apply(e, is_on ? 0 : 1);
	}
	pev_schedule(l, s);
	pev_board_call(l->board);
	pev_unlock(l->board);
	return 0;
}

/* ---- threads, files -------------------------------------------------------------------------- */

static int64_t start_thread(struct pev_local *l, struct ses_server *s, uint32_t parent,
			    uint32_t child, uint32_t tid)
{
	const uint32_t n = l->n_link;

	pev_settle_all(l, s);
	if (child < PEV_KNOWN_TIDS)
		l->tid[child] = tid;
	pev_lock(l->board);
	pev_tell_thread(l, s, parent, tid);
	for (uint32_t i = 0; i < n; i++)
		if (l->link[i].thread == parent && l->board->event[l->link[i].event].attr.inherit)
			pev_attach(l, s, l->link[i].event, child, true);
	pev_settle(l, s);
	pev_unlock(l->board);
	return 0;
}

/* Its events have counted all that they will; inherited ones go on elsewhere. */
static int64_t end_thread(struct pev_local *l, struct ses_server *s, uint32_t thread)
{
	pev_settle_all(l, s);
	pev_lock(l->board);
	pev_tell_gone(l, s, thread);
	for (uint32_t i = l->n_link; i-- > 0;)
		if (l->link[i].thread == thread)
			pev_end_link(l, i);
	pev_schedule(l, s);
	pev_board_call(l->board);
	pev_unlock(l->board);
	return 0;
}

static int64_t find_files(struct pev_local *l, const struct ses_server *s, struct req_box *b)
{
	int rc;

	pev_lock(l->board);
	rc = pev_files_make(l->board, ses_seen_cpu(s->cfg),
			    s->cfg->model.n_cpus ? s->cfg->model.n_cpus : 1,
			    ses_areas_ctl(s->areas)->start.memory_bytes);
	memcpy(b->pages[0], l->board->files, sizeof(l->board->files));
	pev_unlock(l->board);
	return rc;
}

static int64_t set_async(struct pev_local *l, uint64_t key, bool is_on)
{
	const uint32_t index = pev_board_find(l->board, key);

	if (index == PEV_NONE)
		return -EBADF;
	l->board->event[index].is_async = is_on;
	return 0;
}

/* Key of an event of this guest that has come to its end by overflow, once. */
static uint64_t take_hang_up(struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_event *e = &l->board->event[l->link[i].event];

		if (e->is_hup) {
			e->is_hup = false;
			return e->key;
		}
	}
	return 0;
}

/* The guest stands still: overflows that waited for it are dealt with. */
static int64_t give_credit(struct pev_local *l, struct ses_server *s, const struct req_box *b)
{
	const uint32_t block = b->arg[1] < SHR_MAX_BLOCKS ? (uint32_t)b->arg[1] : PEV_NONE;
	int rc;

	pev_take_state(l, b);
	l->is_stopped = true;
	ses_serve_drain(s);
	rc = pev_look_ahead(l, s, b->arg[3], block);
	if (block != PEV_NONE)
		pev_fault_ahead(l, s, block);
	l->is_stopped = false;
	return rc;
}

/* The guest has waited in a system call, so many times. */
static int64_t take_wait(struct pev_local *l, struct ses_server *s, const struct req_box *b)
{
	pev_take_state(l, b);
	l->is_stopped = true;
	pev_settle_all(l, s);
	for (uint64_t i = 0; i < b->arg[1] && i < MOST_WAITS; i++)
		pev_switch(l, s);
	l->is_stopped = false;
	return 0;
}

/* The current thread has another name. */
static int64_t take_name(struct pev_local *l, struct ses_server *s, struct req_box *b)
{
	char name[16];

	memcpy(name, b->pages[0], sizeof(name));
	name[sizeof(name) - 1] = 0;
	pev_settle_all(l, s);
	pev_lock(l->board);
	pev_tell_name(l, s, name, false);
	pev_unlock(l->board);
	return 0;
}

static int64_t take_closed(struct pev_local *l, struct ses_server *s)
{
	pev_settle_all(l, s);
	pev_lock(l->board);
	pev_reap(l);
	pev_schedule(l, s);
	pev_unlock(l->board);
	return 0;
}

static int64_t know_event(struct pev_local *l, struct req_box *b)
{
	uint32_t index;

	pev_lock(l->board);
	index = pev_board_find(l->board, b->arg[1]);
	if (index != PEV_NONE)
		b->result[1] = l->board->event[l->board->event[index].output].map_bytes != 0;
	pev_unlock(l->board);
	return index == PEV_NONE ? -EBADF : 0;
}

uint32_t pev_ask(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;
	struct req_box *b = &ses_areas_ctl(s->areas)->req;
	int64_t rc = -EINVAL;

	l->is_asked = true;
	switch (b->arg[0]) {
	case REQ_PERF_OPEN: rc = pev_open_event(l, s, b); break;
	case REQ_PERF_READ: rc = read_event(l, s, b); break;
	case REQ_PERF_IOCTL: rc = control_event(l, s, b); break;
	case REQ_PERF_MAP: rc = pev_map(l, s, b); break;
	case REQ_PERF_THREAD:
		rc = start_thread(l, s, (uint32_t)b->arg[1], (uint32_t)b->arg[2],
				  (uint32_t)b->arg[3]);
		break;
	case REQ_PERF_GONE: rc = end_thread(l, s, (uint32_t)b->arg[1]); break;
	case REQ_PERF_FILES: rc = find_files(l, s, b); break;
	case REQ_PERF_ASYNC: rc = set_async(l, b->arg[1], b->arg[2] != 0); break;
	case REQ_PERF_TASK: rc = control_task(l, s, (uint32_t)b->arg[1], b->arg[2] != 0); break;
	case REQ_PERF_CREDIT: rc = give_credit(l, s, b); break;
	case REQ_PERF_WAITED: rc = take_wait(l, s, b); break;
	case REQ_PERF_UNMAP: rc = pev_unmap(l, s, b->arg[2], b->arg[3]); break;
	case REQ_PERF_CLOSED: rc = take_closed(l, s); break;
	case REQ_PERF_NAME: rc = take_name(l, s, b); break;
	case REQ_PERF_KNOWS: rc = know_event(l, b); break;
	}
	if (pev_has_unshown(l)) {
		pev_lock(l->board);
		pev_show_rings(l);
		pev_unlock(l->board);
	}
	b->result[0] = (uint64_t)rc;
	pev_tell_guest(l, s, b->arg[0] != REQ_PERF_CREDIT && pev_stops_for_faults(l));
	b->result[2] = b->arg[0] == REQ_PERF_CREDIT ? pev_credit(l, s, b->arg[1], b->count)
						    : pev_credit(l, s, REQ_PERF_NO_BLOCK, 0);
	l->is_told = b->arg[0] == REQ_PERF_CREDIT;
	b->result[3] = take_hang_up(l);
	pev_tell_traps(l, s);
	l->is_asked = false;
	return REQ_OK;
}
