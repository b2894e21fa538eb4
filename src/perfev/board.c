/* board.c -- the table of events that all servers of a run share, and its lock. Rules: board.h. */
#include "perfev/board.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000l /* between two looks at the others */

struct pev_board *pev_board_open(void)
{
	struct pev_board *b = mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (b == MAP_FAILED)
		return NULL;
	b->first = getpid();
	b->next_id = 1;
	return b;
}

void pev_board_close(struct pev_board *b)
{
	if (b)
		munmap(b, sizeof(*b));
}

void pev_lock(struct pev_board *b)
{
	const pid_t own = getpid();
	const struct timespec pause = {0, LOOK_NS};

	for (unsigned turns = 1;; turns++) {
		pid_t holder = 0;

		if (__atomic_compare_exchange_n(&b->lock, &holder, own, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		if (turns % 64) {
			sched_yield();
			continue;
		}
		if (kill(holder, 0) && errno == ESRCH &&
		    __atomic_compare_exchange_n(&b->lock, &holder, own, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		nanosleep(&pause, NULL);
	}
}

void pev_unlock(struct pev_board *b)
{
	__atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
}

uint32_t pev_board_add(struct pev_board *b)
{
	uint32_t i = 0;

	while (i < b->n_used && b->event[i].is_live)
		i++;
	if (i == PEV_MOST_EVENTS)
		return PEV_NONE;
	if (i == b->n_used)
		b->n_used++;
	memset(&b->event[i], 0, sizeof(b->event[i]));
	b->event[i].is_live = true;
	b->event[i].id = b->next_id++;
	b->event[i].order = b->next_order++;
	b->event[i].leader = b->event[i].output = i;
	__atomic_add_fetch(&b->n_live, 1, __ATOMIC_SEQ_CST);
	return i;
}

/* As in a kernel, the members of a group whose leader goes become events of their own. */
void pev_board_remove(struct pev_board *b, uint32_t index)
{
	for (uint32_t i = 0; i < b->n_used; i++) {
		struct pev_event *e = &b->event[i];

		if (e->is_live && e->leader == index)
			e->leader = i;
		if (e->is_live && e->output == index)
			e->output = i;
	}
	b->event[index].is_live = false;
	__atomic_sub_fetch(&b->n_live, 1, __ATOMIC_SEQ_CST);
}

uint32_t pev_board_find(const struct pev_board *b, uint64_t key)
{
	for (uint32_t i = 0; key && i < b->n_used; i++)
		if (b->event[i].is_live && b->event[i].key == key)
			return i;
	return PEV_NONE;
}

void pev_board_call(struct pev_board *b)
{
	__atomic_add_fetch(&b->news, 1, __ATOMIC_SEQ_CST);
}

bool pev_board_have_seen(struct pev_board *b, uint32_t n)
{
	const pid_t own = getpid();

	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++) {
		const pid_t pid = __atomic_load_n(&b->server[i].pid, __ATOMIC_ACQUIRE);

		if (!pid || pid == own ||
		    (int32_t)(__atomic_load_n(&b->server[i].seen, __ATOMIC_ACQUIRE) - n) >= 0)
			continue;
		if (kill(pid, 0) && errno == ESRCH) {
			__atomic_store_n(&b->server[i].pid, 0, __ATOMIC_RELEASE);
			continue;
		}
		return false;
	}
	return true;
}

void pev_board_enter(struct pev_board *b)
{
	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++) {
		pid_t free_pid = 0;

		if (__atomic_compare_exchange_n(&b->server[i].pid, &free_pid, getpid(), false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
			b->server[i].guest = 0;
			b->server[i].seen = __atomic_load_n(&b->news, __ATOMIC_SEQ_CST);
			return;
		}
	}
	b->is_crowded = true;
}

void pev_board_leave(struct pev_board *b)
{
	const pid_t own = getpid();

	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++)
		if (b->server[i].pid == own)
			__atomic_store_n(&b->server[i].pid, 0, __ATOMIC_RELEASE);
}

void pev_board_seen(struct pev_board *b, uint32_t n)
{
	const pid_t own = getpid();

	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++)
		if (b->server[i].pid == own) {
			__atomic_store_n(&b->server[i].seen, n, __ATOMIC_RELEASE);
			return;
		}
}

void pev_board_name(struct pev_board *b, pid_t guest)
{
	const pid_t own = getpid();

	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++)
		if (b->server[i].pid == own)
			__atomic_store_n(&b->server[i].guest, guest, __ATOMIC_RELEASE);
}

/* Process of a thread; 0 = there is none, or /proc does not say. */
static pid_t process_of(pid_t tid)
{
	char path[48], line[128];
	pid_t pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	while (f && !pid && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Tgid:", 5))
			pid = (pid_t)strtol(line + 5, NULL, 10);
	if (f)
		fclose(f);
	return pid;
}

bool pev_board_may_know(const struct pev_board *b, pid_t tid)
{
	const pid_t pid = process_of(tid);

	if (!pid || b->is_crowded || __atomic_load_n(&b->n_unborn, __ATOMIC_SEQ_CST))
		return true;
	for (unsigned i = 0; i < PEV_MOST_SERVERS; i++)
		if (b->server[i].pid &&
		    __atomic_load_n(&b->server[i].guest, __ATOMIC_ACQUIRE) == pid)
			return true;
	return false;
}
