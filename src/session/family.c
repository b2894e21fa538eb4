#include "session/family.h"

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

#include "session/journal.h"
#include "session/remarks.h"

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
	page = mmap(NULL, sizeof(*f->alarm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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
	n = snprintf(child->birth, sizeof(child->birth), "%.80s.%u", parent->birth, parent->n_children);
	if (n > 84 || strstr(parent->birth, "..."))
		snprintf(child->birth, sizeof(child->birth), "%.80s...", parent->birth);
}

int ses_compare_births(const char *s, const char *t)
{
	for (;;) {
		char *s_end, *t_end;
		unsigned long m = strtoul(s, &s_end, 10), n = strtoul(t, &t_end, 10);

		if (m != n)
			return m < n ? -1 : 1;
		if (!*s_end || !*t_end || *s_end != '.' || *t_end != '.' || !isdigit((unsigned char)s_end[1]) ||
		    !isdigit((unsigned char)t_end[1]))
			return strcmp(s_end, t_end);
		s = s_end + 1;
		t = t_end + 1;
	}
}

/* In a new server: end when the first one does. */
static void follow_first(const struct ses_family *f)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != f->alarm->first)
		_exit(125);
}

pid_t ses_family_fork(struct ses_family *f, const struct ses_member *m)
{
	struct ses_message born = { .kind = SES_BORN, .member = *m };
	/* Servers are brothers, whoever forks them, and no ordinary children of the process that softpmu
	 * runs in: its own wait() does not meet them. */
	long pid = syscall(SYS_clone, f->is_first ? 0 : CLONE_PARENT, 0, 0, 0, 0);

	if (pid < 0)
		return -SPMU_ESYS;
	if (pid > 0) {
		ses_family_tell(f, &born);
		return (pid_t)pid;
	}
	follow_first(f);
	f->is_first = false;
	if (f->hear >= 0)
		close(f->hear);
	f->hear = -1;
	return 0;
}

void ses_family_tell(struct ses_family *f, const struct ses_message *m)
{
	struct timespec pause = { 0, 1000000 };

	while (f->send >= 0 && send(f->send, m, sizeof(*m), MSG_NOSIGNAL | (f->is_first ? MSG_DONTWAIT : 0)) < 0) {
		if (f->is_first && errno == EAGAIN)
			ses_family_hear(f); /* our own news fill the socket */
		else if (errno == ENOBUFS || errno == ENOMEM)
			nanosleep(&pause, NULL);
		else if (errno != EINTR)
			return;
	}
}

/* One more at the end of a list. */
static void keep(struct ses_family *f, struct ses_ended **list, size_t *n, size_t *room, const struct ses_message *m)
{
	struct ses_ended *e;

	if (*n == *room) {
		size_t more = *room ? 2 * *room : 16;
		void *p = realloc(*list, more * sizeof(**list));

		if (!p) {
			spmu_fail(&f->refusal, SPMU_ENOMEM, "out of memory for the list of processes");
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

static void take(struct ses_family *f, const struct ses_message *m)
{
	if (m->kind == SES_BORN) {
		f->n_born++;
		return;
	}
	if (m->kind == SES_THREAD) {
		keep(f, &f->threads, &f->n_threads, &f->room_threads, m);
		return;
	}
	if (m->kind == SES_REGION) {
		keep(f, &f->regions, &f->n_regions, &f->room_regions, m);
		return;
	}
	if (m->kind == SES_MATE) {
		f->n_ended++;
		ses_totals_add(&f->sum, &m->totals);
		if (f->keeps_list)
			keep(f, &f->list, &f->n_list, &f->room_list, m);
		return;
	}
	f->n_gone++;
	if (m->refused_code && !f->refusal.code)
		spmu_fail(&f->refusal, m->refused_code, "%s", m->refusal);
	if (m->kind != SES_ENDED)
		return;
	f->n_ended++;
	ses_journal_merge(&f->journal, &m->journal);
	ses_remarks_merge(&f->remarks, &m->remarks);
	ses_totals_add(&f->sum, &m->totals);
	f->digest += mix(m->member.birth_hash ^ mix(m->input_digest));
	if (f->keeps_list)
		keep(f, &f->list, &f->n_list, &f->room_list, m);
}

/* Take one message. Returns its size, 0 at the end, -1 when there is none. */
static ssize_t hear_one(struct ses_family *f, int flags)
{
	struct ses_message m;
	ssize_t n = recv(f->hear, &m, sizeof(m), flags);

	if (n == (ssize_t)sizeof(m))
		take(f, &m);
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
	struct pollfd p = { .fd = f->hear, .events = POLLIN };
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
		while (waitpid(-1, NULL, (int)__WCLONE | (n == 0 ? 0 : WNOHANG)) > 0)
			;
	if (n == 0 && f->n_gone != f->n_born && !f->refusal.code)
		spmu_fail(&f->refusal, SPMU_ESYS,
		          "a part of softpmu ended without a word; the counts of %llu processes are missing",
		          (unsigned long long)(f->n_born - f->n_gone));
	return n != 0;
}

uint64_t ses_family_digest(const struct ses_family *f, uint64_t first)
{
	return f->n_ended ? mix(first) + f->digest : first;
}
