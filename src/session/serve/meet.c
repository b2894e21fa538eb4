/* meet.c -- finds the boundary at which the guest is. Rules: meet.h.
 *
 * The guest writes while the server reads: a record is taken only if another one follows it, and a
 * noted size is marked SHR_NOTE_TAKEN, so the guest cannot take back what was read.
 */
#include "session/serve/meet.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session/serve/own.h"
#include "session/serve/serve.h"
#include "trace/record.h"

#define AGAIN_NS 10000000ull   /* between two signals, when the first one did not help */
#define KNOWN_NS 1000000000ull /* so long a thread's number stays its own */

/* ---- records --------------------------------------------------------------------------------- */

static uint32_t head_at(const uint8_t *chunk, uint32_t at)
{
	return __atomic_load_n((const uint32_t *)(const void *)(chunk + at), __ATOMIC_ACQUIRE);
}

/* Bytes of whole records, of which `whole` are known to. The guest writes meanwhile, and may
 * write its last record anew: one that others follow stays what it is, and heads are written in
 * their order. */
static uint32_t whole_bytes(const uint8_t *chunk, uint32_t whole)
{
	for (;;) {
		const uint32_t head =
		    whole + 4 <= SHR_CHUNK_BYTES ? head_at(chunk, whole) : TRC_BLANK;
		const uint64_t size =
		    head == TRC_BLANK ? 0
				      : trc_record_bytes(chunk + whole, SHR_CHUNK_BYTES - whole);

		if (size == 0 || size + 4 > SHR_CHUNK_BYTES - whole ||
		    head_at(chunk, whole + (uint32_t)size) == TRC_BLANK ||
		    head_at(chunk, whole) != head)
			return whole;
		whole += (uint32_t)size;
	}
}

/* Returns the guest's note of the whole records in its open chunk, and marks the note as taken: the
 * guest cannot take those records back from now on. */
static uint64_t take_note(struct shr_ctl *c)
{
	uint64_t noted = __atomic_load_n(&c->open_chunk, __ATOMIC_ACQUIRE);

	while (noted && !__atomic_compare_exchange_n(&c->open_chunk, &noted, noted | SHR_NOTE_TAKEN,
						     false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
	return noted & ~(uint64_t)SHR_NOTE_TAKEN;
}

bool ses_meet_peek(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	/* the note is of this call then, or of a later one */
	bool waits = __atomic_load_n(&c->is_out, __ATOMIC_SEQ_CST);
	const uint64_t noted = take_note(c);
	const uint32_t number = (uint32_t)(noted >> 32) - 1;
	uint32_t whole = (uint32_t)noted;

	if (s->is_refused || !noted || number - c->consumed > SHR_N_CHUNKS ||
	    whole > SHR_CHUNK_BYTES)
		return false;
	/* Where the guest is now: it does not wait for us. */
	if (number == c->consumed && whole < s->meet.fed) {
		whole = s->meet.fed;
		waits = false;
	}
	if (s->tier == SHR_TIER_STREAM && !waits)
		whole = whole_bytes(ses_serve_chunk(s, number), whole);
	while (number != c->consumed)
		if (!ses_serve_take(s))
			return false;
	ses_serve_feed_open(s, whole);
	return waits;
}

/* ---- boundaries ------------------------------------------------------------------------------ */

/* Returns true if a stop signal or a tracer has stopped the thread. The signal that was sent to it
 * is then delivered before it executes anything. */
static bool is_stopped(uint32_t tid)
{
	char path[40], text[256];
	const char *state;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	state = strrchr(text, ')');
	return state && (state[1] && (state[2] == 'T' || state[2] == 't'));
}

/* Returns true if the thread belongs to the guest. An answer holds for KNOWN_NS, because the kernel
 * uses numbers again. */
static bool is_known(struct ses_server *s, uint32_t tid)
{
	const uint64_t now = ses_host_ns();

	if (tid == s->meet.known_tid && now - s->meet.known_ns < KNOWN_NS)
		return true;
	if (!ses_is_own(s->areas, tid))
		return false;
	s->meet.known_tid = tid;
	s->meet.known_ns = now;
	return true;
}

void ses_meet_kick(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	const uint32_t pid = c->guest_pid, tid = c->running_tid;
	siginfo_t info;

	__atomic_add_fetch(&c->n_kicks, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&c->is_out, __ATOMIC_SEQ_CST) || pid <= 1 || tid <= 1 ||
	    !is_known(s, tid))
		return;
	memset(&info, 0, sizeof(info));
	info.si_signo = SHR_KICK_SIGNAL;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_value.sival_ptr = (void *)SHR_KICK_VALUE;
	/* of a process in its memory */
	if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, SHR_KICK_SIGNAL, &info) && errno == ESRCH)
		syscall(SYS_rt_tgsigqueueinfo, tid, tid, SHR_KICK_SIGNAL, &info);
}

bool ses_meet(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint64_t now;

	if (s->meet.is_here)
		return true;
	if (!s->meet.is_wanted) {
		s->meet.is_wanted = true;
		s->meet.kicked_ns = 0;
		__atomic_store_n(&c->wants_meet, 1, __ATOMIC_SEQ_CST);
	}
	if (__atomic_load_n(&c->is_out, __ATOMIC_SEQ_CST))
		return true;
	now = ses_host_ns();
	if (s->meet.kicked_ns && is_stopped(s->meet.known_tid))
		return true;
	if (!s->meet.kicked_ns || now - s->meet.kicked_ns > AGAIN_NS) {
		ses_meet_kick(s);
		s->meet.kicked_ns = now;
	}
	return false;
}

void ses_meet_end(struct ses_server *s)
{
	s->meet.is_wanted = false;
	__atomic_store_n(&ses_areas_ctl(s->areas)->wants_meet, 0, __ATOMIC_SEQ_CST);
}
