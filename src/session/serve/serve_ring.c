/* serve_ring.c -- chunks of the ring, in order, to whoever wants their records. */
#include "session/serve/serve.h"

#include <sched.h>

#include "session/inputs/inputs.h"
#include "session/serve/tally.h"
#include "trace/record.h"
#include "trace/wait.h"

int ses_serve_feed_model(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	ses_reading_feed(s, bytes, n);
	return s->threads ? ses_threads_feed(s->threads, bytes, n) : mdl_feed(s->model, bytes, n);
}

int ses_serve_feed_service(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	if (!n)
		return 0;
	return s->service ? s->service->feed(s->service->ctx, s, bytes, n)
			  : ses_serve_feed_model(s, bytes, n);
}

const uint8_t *ses_serve_chunk(const struct ses_server *s, uint32_t number)
{
	return (const uint8_t *)s->areas->map[SES_AREA_RING] +
	       (size_t)(number % SHR_N_CHUNKS) * SHR_CHUNK_BYTES;
}

/* Whole records, one calling context at a time. */
static int feed_paths(struct ses_server *s, const uint8_t *bytes, size_t n)
{
	int rc = 0;

	while (n && !rc) {
		const size_t some = ses_places_stretch(s->places, bytes, n);

		rc = ses_intervals_feed(s, bytes, some);
		bytes += some;
		n -= some;
	}
	return rc;
}

/* Feed the chunk with this number up to byte `whole`, without the bytes that were read ahead. */
static void feed(struct ses_server *s, uint32_t number, uint32_t whole)
{
	const uint8_t *p = ses_serve_chunk(s, number) + s->meet.fed;
	const uint32_t bytes = whole - s->meet.fed;
	int rc;

	if (whole > SHR_CHUNK_BYTES || whole < s->meet.fed) {
		ses_serve_refuse(s, SPMU_EPROTO,
				 "the program damaged the shared trace; counting stopped there");
		return;
	}
	s->meet.fed = 0;
	if (!bytes)
		return;
	s->trace_bytes += bytes;
	if (s->trace && ses_trace_write(s->trace, p, bytes) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the trace file; is the disk full?");
	if (s->journal && ses_journal_feed(s->journal, p, bytes) != 0)
		ses_serve_refuse(s, SPMU_ESYS, "cannot write the journal; is the disk full?");
	if (s->inputs && ses_areas_ctl(s->areas)->chunk_inputs[number % SHR_N_CHUNKS] == number + 1)
		ses_inputs_feed(s->inputs, p, bytes);
	if (ses_areas_ctl(s->areas)->chunk_maps[number % SHR_N_CHUNKS] == number + 1) {
		if (s->places)
			ses_places_feed(s->places, p, bytes);
		if (s->trace)
			ses_serve_trace_maps(s, p, bytes);
	}
	if (s->tier == SHR_TIER_COUNT)
		ses_tally_partials(s, p, bytes);
	rc = s->cfg->keeps_paths || s->cfg->function ? feed_paths(s, p, bytes)
						     : ses_intervals_feed(s, p, bytes);
	if (rc == -SPMU_ENOTSUP)
		ses_serve_refuse(s, SPMU_ENOTSUP,
				 "the program ran one string instruction over more memory than "
				 "this "
				 "version counts at once (16 GiB); counting stopped there");
	else if (rc != 0)
		ses_serve_refuse(s, SPMU_EPROTO,
				 "the program damaged the shared trace; counting stopped there");
}

void ses_serve_feed_open(struct ses_server *s, uint32_t whole)
{
	if (whole <= s->meet.fed)
		return;
	feed(s, ses_areas_ctl(s->areas)->consumed, whole);
	s->meet.fed = whole;
}

void ses_serve_up_to(struct ses_server *s, uint64_t where)
{
	const uint32_t number = (uint32_t)(where >> 32) - 1, whole = (uint32_t)where;

	ses_serve_drain(s);
	if (s->is_refused)
		return;
	if (number == ses_areas_ctl(s->areas)->consumed && whole <= SHR_CHUNK_BYTES)
		ses_serve_feed_open(s, whole);
	else
		ses_serve_refuse(s, SPMU_EPROTO,
				 "the program damaged the shared trace; counting stopped there");
}

/* Instructions in a chunk, at most: all chunks together are less than a tenth of a second of
 * clocks. */
#define CHUNK_INSNS  131072u
#define CHUNK_LEAST  4096u
#define CHUNK_GROWTH 4u

/* So many bytes of records were n instructions: where chunks end that have as many for each
 * byte, and go to so many models. */
static void limit_chunks(struct shr_ctl *c, uint64_t bytes, uint64_t n, uint32_t n_models)
{
	const uint64_t now = n ? bytes * CHUNK_INSNS / n_models / n : SHR_CHUNK_BYTES,
		       before = c->chunk_most;
	const uint64_t most = before && now > CHUNK_GROWTH * before ? CHUNK_GROWTH * before : now;

	__atomic_store_n(&c->chunk_most,
			 most < CHUNK_LEAST	  ? CHUNK_LEAST
			 : most < SHR_CHUNK_BYTES ? (uint32_t)most
						  : 0,
			 __ATOMIC_RELAXED);
}

/* Chunks between two looks at how many instructions a byte of them makes; a run's first looks are
 * at chunks 1, 2, 4, 8 and 16. A look makes a model add up the steps that it keeps, which are many
 * in a large program: as one for each chunk they were a tenth of sqlite3's time on a Pentium. */
#define CHUNKS_A_LOOK 32u

static bool is_looked_at(uint32_t n_chunk)
{
	const bool is_power_of_two = !(n_chunk & (n_chunk - 1));

	return n_chunk < CHUNKS_A_LOOK ? is_power_of_two : n_chunk % CHUNKS_A_LOOK == 0;
}

/* The models have got a chunk: if it is one of those, look at how many instructions came since the
 * last look. */
static void pace(struct ses_server *s)
{
	struct ses_pace *p = &s->pace;
	uint64_t now;

	if (!is_looked_at(++p->n_chunk))
		return;
	now = mdl_instructions(s->model);
	if (now >= p->instructions) /* else the model is a new one */
		limit_chunks(ses_areas_ctl(s->areas), s->trace_bytes - p->bytes,
			     now - p->instructions, 1 + (uint32_t)s->cfg->n_column);
	p->bytes = s->trace_bytes;
	p->instructions = now;
}

/* The next chunk, which is there. */
static void feed_next(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	const uint32_t bytes =
	    __atomic_load_n(&c->chunk_bytes[c->consumed % SHR_N_CHUNKS], __ATOMIC_RELAXED);
	const uint32_t fed = s->meet.fed;

	feed(s, c->consumed, bytes);
	if (s->tier == SHR_TIER_STREAM && bytes > fed)
		pace(s);
}

bool ses_serve_take(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	const uint32_t consumed = c->consumed;
	const uint32_t produced = __atomic_load_n(&c->produced, __ATOMIC_ACQUIRE);

	if (produced == consumed)
		return false;
	if (produced - consumed > SHR_N_CHUNKS) {
		ses_serve_refuse(s, SPMU_EPROTO,
				 "the program damaged the shared trace; counting stopped there");
		return false;
	}
	if (!s->is_refused)
		feed_next(s);
	__atomic_store_n(&c->reader_cpu, (uint32_t)sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&c->consumed, consumed + 1, __ATOMIC_SEQ_CST);
	if (produced - consumed - 1 <= SHR_REFILL_CHUNKS &&
	    __atomic_load_n(&c->guest_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&c->consumed);
	return true;
}

void ses_serve_drain(struct ses_server *s)
{
	while (ses_serve_take(s))
		;
}

void ses_serve_drain_last(struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint64_t open;
	uint32_t whole;

	ses_serve_drain(s);
	open = __atomic_load_n(&c->open_chunk, __ATOMIC_ACQUIRE);
	if (s->is_refused || open >> 32 != c->consumed + 1u)
		return;
	whole = (uint32_t)open & ~SHR_NOTE_TAKEN;
	if (whole < s->meet.fed)
		whole = s->meet.fed;
	if (s->tier == SHR_TIER_STREAM)
		whole = trc_whole_bytes(ses_serve_chunk(s, c->consumed), SHR_CHUNK_BYTES, whole);
	ses_serve_feed_open(s, whole);
}
