/* ring.c -- softpmu's side of the shared memory. Rules: ring.h. */
#include "bare/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/wait.h"

int bare_ring_open(struct bare_ring *r, struct spmu_error *err)
{
	void *at;

	memset(r, 0, sizeof(*r));
	r->fd = memfd_create("softpmu-bare", MFD_CLOEXEC);
	if (r->fd < 0 || ftruncate(r->fd, BARE_MEMORY_BYTES) != 0)
		return spmu_fail(err, SPMU_ESYS, "no shared memory for the machine: %s",
				 strerror(errno));
	at = mmap(NULL, BARE_MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	r->copy = malloc(BARE_CHUNK_WORDS * sizeof(*r->copy));
	if (at == MAP_FAILED || !r->copy)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the machine's records");
	r->share = at;
	r->share->magic = BARE_MAGIC;
	r->share->version = BARE_VERSION;
	return 0;
}

void bare_ring_close(struct bare_ring *r)
{
	if (r->share)
		munmap(r->share, BARE_MEMORY_BYTES);
	if (r->fd >= 0)
		close(r->fd);
	free(r->copy);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

static void set_consumed(struct bare_ring *r, uint32_t n)
{
	r->consumed = n;
	__atomic_store_n(&r->share->consumed, n, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&r->share->writer_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&r->share->consumed);
}

/* Copy the next chunk and hand it back at once. */
static int take(struct bare_ring *r, const uint64_t **word, size_t *n)
{
	const uint32_t words =
	    __atomic_load_n(&r->share->n_words[r->consumed % BARE_CHUNKS], __ATOMIC_RELAXED);

	if (words > BARE_CHUNK_WORDS)
		return -SPMU_EPROTO;
	memcpy(r->copy, bare_chunk(r->share, r->consumed), words * sizeof(*r->copy));
	set_consumed(r, r->consumed + 1);
	*word = r->copy;
	*n = words;
	return 1;
}

int bare_ring_next(struct bare_ring *r, unsigned ms, const uint64_t **word, size_t *n)
{
	struct bare_share *s = r->share;
	struct trc_wait wait = {0};

	for (;;) {
		const uint32_t produced = __atomic_load_n(&s->produced, __ATOMIC_ACQUIRE);

		if (produced - r->consumed > BARE_CHUNKS)
			return -SPMU_EPROTO;
		if (produced != r->consumed)
			return take(r, word, n);
		if (!trc_wait_turn(&wait))
			continue;
		__atomic_store_n(&s->reader_sleeps, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->produced, __ATOMIC_SEQ_CST) == produced)
			trc_futex_wait(&s->produced, produced, ms * 1000000ull);
		__atomic_store_n(&s->reader_sleeps, 0, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&s->produced, __ATOMIC_ACQUIRE) == produced)
			return 0;
	}
}

void bare_ring_answer(struct bare_ring *r, enum bare_answer answer, uint64_t value,
		      uint64_t look_in)
{
	struct bare_share *s = r->share;

	s->answer = answer;
	s->value = value;
	s->look_in = look_in;
	__atomic_store_n(&s->answers, ++r->answers, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->asker_sleeps, __ATOMIC_SEQ_CST))
		trc_futex_wake(&s->answers);
}

void bare_ring_stop(struct bare_ring *r)
{
	__atomic_store_n(&r->share->is_over, 1, __ATOMIC_SEQ_CST);
	trc_futex_wake(&r->share->answers);
	trc_futex_wake(&r->share->consumed);
}
