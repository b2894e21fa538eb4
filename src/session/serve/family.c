/* family.c -- messages between servers, the page that they share, and the first server's sums.
 * Rules: family.h.
 *
 * A server that forks sends SES_BORN for the new server, which sends one last message at its end.
 * The first server compares these numbers when all have ended, so it notices a server that died.
 */
#include "session/serve/family.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "session/serve/interval_book.h"
#include "session/files/journal.h"
#include "session/machine/limits.h"
#include "session/totals/remarks.h"

int ses_family_open(struct ses_family *f, bool keeps_list, struct spmu_error *err)
{
	int pair[2];
	void *page;

	memset(f, 0, sizeof(*f));
	f->send = f->hear = -1;
	f->is_first = true;
	f->keeps_list = keeps_list;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return spmu_fail(err, SPMU_ESYS, "cannot make a socket: %s", strerror(errno));
	f->hear = pair[0];
	f->send = pair[1];
	page = mmap(NULL, sizeof(*f->alarm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	if (page == MAP_FAILED)
		return spmu_fail(err, SPMU_ESYS, "cannot map memory: %s", strerror(errno));
	f->alarm = page;
	f->alarm->first = getpid();
	return 0;
}

void ses_family_close(struct ses_family *f)
{
	if (f->send >= 0)
		close(f->send);
	if (f->hear >= 0)
		close(f->hear);
	if (f->alarm)
		munmap(f->alarm, sizeof(*f->alarm));
	free(f->list);
	free(f->threads);
	free(f->regions);
	free(f->places);
	free(f->left);
	f->left = NULL;
	f->send = f->hear = -1;
	f->alarm = NULL;
	f->list = NULL;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

void ses_family_name_child(struct ses_member *parent, struct ses_member *child)
{
	int n;

	*child = *parent;
	child->n_children = 0;
	parent->n_children++;
	child->birth_hash = mix(parent->birth_hash + parent->n_children);
	n = snprintf(child->birth, sizeof(child->birth), "%.80s.%u", parent->birth,
		     parent->n_children);
	if (n > 84 || strstr(parent->birth, "..."))
		snprintf(child->birth, sizeof(child->birth), "%.80s...", parent->birth);
}

uint64_t ses_family_birth_hash(const char *birth)
{
	uint64_t hash = 1; /* the first process */
	const char *at = birth;

	while (*at >= '0' && *at <= '9') {
		char *end;
		const uint64_t n = strtoull(at, &end, 10);

		if (at != birth)
			hash = mix(hash + n);
		at = *end == '.' ? end + 1 : end;
		if (!*at || *at == ':')
			return hash;
	}
	return 0;
}

int ses_compare_births(const char *s, const char *t)
{
	for (;;) {
		char *s_end, *t_end;
		unsigned long m = strtoul(s, &s_end, 10), n = strtoul(t, &t_end, 10);

		if (m != n)
			return m < n ? -1 : 1;
		if (!*s_end || !*t_end || *s_end != '.' || *t_end != '.' ||
		    !isdigit((unsigned char)s_end[1]) || !isdigit((unsigned char)t_end[1]))
			return strcmp(s_end, t_end);
		s = s_end + 1;
		t = t_end + 1;
	}
}

/* In a new server: end when the first one does. */
static void follow_first(const struct ses_family *f)
{
	if (__atomic_load_n(&f->alarm->is_released, __ATOMIC_SEQ_CST))
		return; /* the first one ends without it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != f->alarm->first)
		_exit(125);
}

/* A row for this server; NULL when all are taken. */
static struct ses_living *take_row(struct ses_alarm *a)
{
	const pid_t own = getpid();

	for (size_t i = 0; i < SES_MOST_LIVING; i++) {
		pid_t nobody = 0;

		if (!a->living[i].server &&
		    __atomic_compare_exchange_n(&a->living[i].server, &nobody, own, 0,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return &a->living[i];
	}
	return NULL;
}

static void give_row_back(struct ses_family *f)
{
	if (!f->row)
		return;
	f->row->pid = 0;
	f->row->is_settled = 0;
	__atomic_store_n(&f->row->server, 0, __ATOMIC_SEQ_CST);
	f->row = NULL;
}

void ses_family_show(struct ses_family *f, pid_t pid, const char *program, bool is_idle)
{
	struct ses_living *r = f->row;

	if (!r || pid <= 1)
		return;
	if (r->pid != pid || strcmp(r->program, program)) {
		snprintf(r->program, sizeof(r->program), "%s", program);
		r->pid = pid;
	}
	if (__atomic_load_n(&f->alarm->is_waiting, __ATOMIC_SEQ_CST))
		__atomic_store_n(&r->is_settled, ses_is_settled(pid, f->alarm->session, is_idle),
				 __ATOMIC_SEQ_CST);
}

bool ses_family_is_settled(const struct ses_family *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < SES_MOST_LIVING; i++) {
		const struct ses_living *r = &f->alarm->living[i];

		if (!__atomic_load_n(&r->server, __ATOMIC_SEQ_CST))
			continue;
		if (!r->pid || !__atomic_load_n(&r->is_settled, __ATOMIC_SEQ_CST))
			return false;
		n++;
	}
	return n && n == f->n_born - f->n_gone;
}

static void add_left(struct ses_family *f, pid_t pid, const char *program)
{
	struct ses_left *more = realloc(f->left, (f->n_left + 1) * sizeof(*more));

	if (!more)
		return;
	f->left = more;
	more[f->n_left].pid = pid;
	snprintf(more[f->n_left++].program, sizeof(more->program), "%s", program);
}

void ses_family_name_left(struct ses_family *f)
{
	for (size_t i = 0; i < SES_MOST_LIVING; i++) {
		const struct ses_living *r = &f->alarm->living[i];
		char program[SES_LEFT_PROGRAM];

		snprintf(program, sizeof(program), "%.*s", (int)sizeof(program) - 1, r->program);
		if (r->server && r->pid)
			add_left(f, r->pid, program);
	}
}

pid_t ses_family_fork(struct ses_family *f, const struct ses_member *m)
{
	struct ses_message born = {.kind = SES_BORN, .member = *m, .next_interval = f->interval};
	/* Servers are brothers, whoever forks them, and no ordinary children of the process that
	 * softpmu runs in: its own wait() does not meet them. */
	long pid = syscall(SYS_clone, f->is_first ? 0 : CLONE_PARENT, 0, 0, 0, 0);

	if (pid < 0)
		return -SPMU_ESYS;
	if (pid > 0) {
		ses_family_tell(f, &born);
		return (pid_t)pid;
	}
	follow_first(f);
	f->is_first = false;
	if (f->has_time_limit)
		ses_limits_watch_time();
	f->row = take_row(f->alarm);
	if (f->hear >= 0)
		close(f->hear);
	f->hear = -1;
	return 0;
}

void ses_family_leave(struct ses_family *f)
{
	give_row_back(f);
	if (f->send >= 0)
		close(f->send);
	f->send = -1;
}

void ses_family_tell(struct ses_family *f, const struct ses_message *m)
{
	struct timespec pause = {0, 1000000};

	while (f->send >= 0 &&
	       send(f->send, m, sizeof(*m), MSG_NOSIGNAL | (f->is_first ? MSG_DONTWAIT : 0)) < 0) {
		if (f->is_first && errno == EAGAIN)
			ses_family_hear(f); /* our own news fill the socket */
		else if (errno == ENOBUFS || errno == ENOMEM)
			nanosleep(&pause, NULL);
		else if (errno != EINTR)
			return;
	}
}

/* One more at the end of a list. */
static void keep_ended(struct ses_family *f, struct ses_ended **list, size_t *n, size_t *room,
		       const struct ses_message *m)
{
	struct ses_ended *e;

	if (*n == *room) {
		size_t more = *room ? 2 * *room : 16;
		void *p = realloc(*list, more * sizeof(**list));

		if (!p) {
			spmu_fail(&f->refusal, SPMU_ENOMEM,
				  "out of memory for the list of processes");
			return;
		}
		*list = p;
		*room = more;
	}
	e = &(*list)[(*n)++];
	e->member = m->member;
	e->thread = m->thread;
	memcpy(e->region, m->region, sizeof(e->region));
	e->n_times = m->n_times;
	e->input_digest = m->input_digest;
	e->totals = m->totals;
}

void ses_family_thread_birth(const struct ses_message *m, char out[SES_BIRTH_BYTES])
{
	snprintf(out, SES_BIRTH_BYTES, "%.*s:%u", (int)SES_BIRTH_BYTES - 12, m->member.birth,
		 m->thread);
}

void ses_family_keep_places(struct ses_family *f, const struct ses_message *m)
{
	struct ses_ended_places *e;

	if (f->n_places == f->room_places) {
		const size_t more = f->room_places ? 2 * f->room_places : 16;
		void *p = realloc(f->places, more * sizeof(*f->places));

		if (!p) {
			spmu_fail(&f->refusal, SPMU_ENOMEM,
				  "out of memory for the accounts of processes");
			return;
		}
		f->places = p;
		f->room_places = more;
	}
	e = &f->places[f->n_places++];
	if (m->kind == SES_THREAD)
		ses_family_thread_birth(m, e->birth);
	else
		memcpy(e->birth, m->member.birth, sizeof(e->birth));
	e->at = m->places;
}

void ses_family_take(struct ses_family *f, const struct ses_message *m)
{
	ses_book_take(f->book, m);
	if (m->kind == SES_INTERVAL || m->kind == SES_SO_FAR)
		return;
	if (m->kind == SES_BORN) {
		f->n_born++;
		return;
	}
	if (m->kind == SES_THREAD) {
		if (m->places.bytes)
			ses_family_keep_places(f, m);
		keep_ended(f, &f->threads, &f->n_threads, &f->room_threads, m);
		return;
	}
	if (m->kind == SES_REGION) {
		keep_ended(f, &f->regions, &f->n_regions, &f->room_regions, m);
		return;
	}
	if (m->kind == SES_MATE) {
		f->n_ended++;
		ses_totals_add(&f->sum, &m->totals);
		if (f->keeps_list)
			keep_ended(f, &f->list, &f->n_list, &f->room_list, m);
		return;
	}
	f->n_gone++;
	if (m->refused_code && !f->refusal.code)
		spmu_fail(&f->refusal, m->refused_code, "%s", m->refusal);
	if (m->kind != SES_ENDED && m->kind != SES_LEFT)
		return;
	if (m->kind == SES_LEFT)
		add_left(f, m->pid, m->member.program);
	f->n_ended++;
	if (m->places.bytes)
		ses_family_keep_places(f, m);
	ses_journal_merge(&f->journal, &m->journal);
	ses_remarks_merge(&f->remarks, &m->remarks);
	ses_totals_add(&f->sum, &m->totals);
	f->digest += mix(m->member.birth_hash ^ mix(m->input_digest));
	if (f->keeps_list)
		keep_ended(f, &f->list, &f->n_list, &f->room_list, m);
}

/* Take one message. Returns its size, 0 at the end, -1 when there is none. */
static ssize_t hear_one(struct ses_family *f, int flags)
{
	struct ses_message m;
	ssize_t n = recv(f->hear, &m, sizeof(m), flags);

	if (n == (ssize_t)sizeof(m))
		ses_family_take(f, &m);
	return n;
}

void ses_family_hear(struct ses_family *f)
{
	if (f->hear < 0)
		return;
	while (hear_one(f, MSG_DONTWAIT) > 0)
		;
	if (f->n_born)
		while (waitpid(-1, NULL, (int)(__WCLONE | WNOHANG)) > 0)
			;
}

bool ses_family_wait(struct ses_family *f, int ms)
{
	struct pollfd p = {.fd = f->hear, .events = POLLIN};
	ssize_t n;

	if (f->send >= 0)
		close(f->send); /* the others hold the last ones */
	f->send = -1;
	if (poll(&p, 1, ms) <= 0)
		return true;
	do
		n = hear_one(f, MSG_DONTWAIT);
	while (n > 0);
	if (f->n_born)
		while (waitpid(-1, NULL,
			       (int)__WCLONE | (n || f->alarm->is_released ? WNOHANG : 0)) > 0)
			;
	if (n == 0 && f->n_gone != f->n_born && !f->refusal.code)
		spmu_fail(&f->refusal, SPMU_ESYS,
			  "a part of softpmu ended without a word; the counts of %llu %s are "
			  "missing",
			  (unsigned long long)(f->n_born - f->n_gone),
			  text_noun(f->n_born - f->n_gone, "process", "processes"));
	return n != 0;
}

uint64_t ses_family_digest(const struct ses_family *f, uint64_t first)
{
	return f->n_ended ? mix(first) + f->digest : first;
}
