/* birth.c -- makes memory, connections and a server for a new guest process. Rules: birth.h.
 *
 * The server forks between two questions of its guest, so both servers hold one state of the model.
 * The new server drops all that belongs to its parent's guest before it serves the child.
 */
#include "session/serve/birth.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "session/serve/tally.h"

#define NO_FORKER   UINT32_MAX
#define MOST_FORKER 0x7fffffffu /* a number that the guest says */

int ses_lines_open(struct ses_lines *l)
{
	*l = (struct ses_lines){{-1, -1}, {-1, -1}};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, l->sock) != 0)
		return -SPMU_ESYS;
	if (pipe2(l->life, O_CLOEXEC) != 0) {
		ses_lines_close(l);
		return -SPMU_ESYS;
	}
	return 0;
}

void ses_lines_close(struct ses_lines *l)
{
	for (int i = 0; i < 2; i++) {
		if (l->sock[i] >= 0)
			close(l->sock[i]);
		if (l->life[i] >= 0)
			close(l->life[i]);
		l->sock[i] = l->life[i] = -1;
	}
}

int ses_send_fds(int sock, const int *fd, unsigned n)
{
	union {
		char bytes[CMSG_SPACE(SHR_N_SENT * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	char byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = control.bytes,
			   .msg_controllen = CMSG_SPACE(n * sizeof(int))};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	return sendmsg(sock, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -SPMU_ESYS;
}

/* In the new server: everything of the parent's guest goes, the child's takes its place. The
 * parent's guest goes on meanwhile: what it asked was read before. */
static void become_server(struct ses_server *s, const struct ses_member *m,
			  const struct ses_totals *base, int memory, uint32_t forker,
			  struct ses_lines *l)
{
	s->member = *m; /* m and base may lie in s->vfork */
	s->base = *base;
	/* behind a vfork it counted already, in units that go on */
	if (forker != NO_FORKER &&
	    (mdl_part_begin(s->model) || mdl_part_now(s->model, s->base.part)))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	ses_serve_trace_born(s);
	ses_gate_born(s, &s->base);
	ses_intervals_born(s);
	ses_progress_born(s);
	s->n_vfork = 0;
	close(s->sock);
	close(s->life);
	close(l->sock[1]);
	close(l->life[0]);
	s->sock = l->sock[0];
	s->life = l->life[1];
	s->pid = 0;
	if (s->watch >= 0)
		s->watch = (close(s->watch), -1);
	if (s->regions)
		ses_regions_born(s->regions, forker);
	if (s->threads)
		ses_threads_restart(s->threads, &s->base);
	ses_mates_born(s);
	s->is_ended = false;
	s->remarks = (struct ses_remarks){0};
	if (s->places)
		ses_places_born(s->places, forker == NO_FORKER);
	ses_gate_follow(s, 0);
	ses_clock_born(s);
	s->n_short = 0;
	s->meet = (struct ses_meet){0};
	if (ses_areas_switch(s->areas, memory))
		ses_serve_refuse(s, SPMU_ESYS, "cannot map the memory of a new process");
	else if (forker == NO_FORKER)
		ses_serve_start_empty(s);
	if (ses_serve_open_files(s)) /* an open journal is the parent's */
		ses_serve_refuse(s, s->err->code, NULL);
	if (s->service)
		s->service->born(s->service->ctx, s);
}

/* Memory, connections and a server for the child m, which has counted what was counted since
 * `base`; forker: the thread that it is a copy of, or NO_FORKER when it executes something else. */
static int give_birth(struct ses_server *s, const struct ses_member *m,
		      const struct ses_totals *base, uint32_t forker)
{
	struct ses_lines l;
	int memory = ses_areas_fork(s->areas, forker != NO_FORKER), sent[SHR_N_SENT], rc;
	pid_t pid;

	xlt_start_sharing(s->translator);
	if (s->service)
		s->service->forks(s->service->ctx, s);
	if (memory < 0)
		return REQ_BAD;
	if (ses_lines_open(&l)) {
		close(memory);
		return REQ_BAD;
	}
	mdl_rest(s->model);
	if (ses_serve_trace_fork(s, m))
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	pid = ses_family_fork(s->family, m);
	if (pid == 0) {
		become_server(s, m, base, memory, forker, &l);
		return SES_BIRTH_NEW;
	}
	sent[SHR_FD_MEMORY] = memory;
	sent[SHR_FD_SOCKET] = l.sock[1];
	sent[SHR_FD_LIFE] = l.life[0];
	rc = pid > 0 && !ses_send_fds(s->sock, sent, SHR_N_SENT) ? REQ_OK : REQ_BAD;
	ses_areas_ctl(s->areas)->req.result[0] = m->birth_hash;
	close(memory);
	ses_lines_close(&l);
	return rc;
}

int ses_birth_fork(struct ses_server *s)
{
	const uint32_t forker = (uint32_t)ses_areas_ctl(s->areas)->req.arg[0] & MOST_FORKER;
	struct ses_totals at_birth;
	struct ses_member m;

	ses_serve_drain(s);
	ses_tally_totals(s, &at_birth); /* settled: the child's clock goes on from here */
	memset(&at_birth.guest, 0, sizeof(at_birth.guest)); /* the child's control area is new */
	ses_family_name_child(ses_mates_member(s), &m);
	return give_birth(s, &m, &at_birth, forker);
}

int ses_birth_vfork(struct ses_server *s, bool is_self)
{
	struct ses_vfork *v = &s->vfork[s->n_vfork];

	if (s->n_vfork == SES_VFORK_MOST)
		return REQ_BAD;
	ses_serve_drain(s);
	if (s->threads && ses_threads_settle(s->threads))
		return REQ_BAD;
	if (s->threads) {
		v->thread_number = ses_threads_now(s->threads);
		ses_threads_totals(s->threads, v->thread_number, &v->thread);
	}
	memset(&v->before, 0, sizeof(v->before));
	if (!is_self || !ses_mates_leave(s, v))
		ses_family_name_child(s->n_vfork ? &v[-1].child : ses_mates_member(s), &v->child);
	ses_tally_totals(s, &v->at);
	ses_gate_off(s, &v->at, &v->off);
	ses_serve_trace_member(s, TRC_MEMBER_VFORK, &v->child);
	if (s->places) {
		ses_places_take(s->places);
		ses_places_enter(s->places);
	}
	s->n_vfork++;
	if (s->service)
		s->service->vfork(s->service->ctx, s, true, 0);
	return REQ_OK;
}

int ses_birth_vfork_exec(struct ses_server *s)
{
	struct ses_totals now, base;
	struct ses_vfork *v;

	if (!s->n_vfork)
		return REQ_BAD;
	v = &s->vfork[s->n_vfork - 1];
	ses_serve_drain(s);
	ses_tally_totals(s, &now);
	base = v->at;
	ses_totals_subtract(&base, &v->before);
	/* The child's control area is new: what it has counted already is below its 0. */
	ses_guest_totals_subtract(&base.guest, &now.guest);
	return give_birth(s, &v->child, &base, NO_FORKER);
}

int ses_birth_vfork_end(struct ses_server *s, bool has_exec, uint32_t child)
{
	struct ses_message *m;
	struct ses_totals counted, off;
	struct ses_vfork *v;
	char birth[SES_BIRTH_BYTES];

	if (!s->n_vfork)
		return REQ_BAD;
	v = &s->vfork[s->n_vfork - 1];
	ses_serve_drain(s);
	if (s->service)
		s->service->vfork(s->service->ctx, s, false, has_exec ? 0 : child);
	m = calloc(1, sizeof(*m));
	if (!m)
		return REQ_BAD;
	ses_tally_totals(s, &m->totals);
	ses_gate_off(s, &m->totals, &off);
	ses_totals_subtract(&off, &v->off);
	ses_totals_subtract(&m->totals, &v->at);
	ses_totals_subtract(&m->totals, &off);
	if (mdl_part_totals(s->model, m->totals.part, m->totals.wire, m->totals.half))
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	ses_serve_trace_member(s, has_exec ? TRC_MEMBER_EXEC : TRC_MEMBER_BACK, &v->child);
	if (s->threads) {
		ses_threads_skip(s->threads);
		ses_threads_replace(s->threads, v->thread_number, &v->thread);
	}
	counted = m->totals;
	if (s->places) {
		ses_places_take(s->places);
		ses_places_region(s->places, &m->totals);
		m->member = v->child;
		ses_family_thread_birth(m, birth);
		if (!has_exec)
			m->places = ses_places_end(s->places,
						   s->cfg->keeps_threads ? birth : v->child.birth,
						   v->child.program, m->totals.wire);
		ses_places_leave(s->places);
	}
	s->n_vfork--;
	/* Not ours, nor any outer child's. */
	ses_totals_add(&s->base, &counted);
	ses_mates_skip(s, &counted);
	for (uint32_t i = 0; i < s->n_vfork; i++)
		ses_totals_add(&s->vfork[i].at, &counted);
	if (!has_exec) {
		m->kind = SES_BORN;
		m->member = v->child;
		ses_family_tell(s->family, m);
		m->kind = SES_THREAD;
		if (s->cfg->keeps_threads) {
			ses_family_tell(s->family, m);
			m->places = (struct ses_places_at){0};
		}
		m->kind = SES_ENDED;
		ses_family_tell(s->family, m);
	}
	free(m);
	return REQ_OK;
}
