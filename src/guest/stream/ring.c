/* ring.c -- the runtime's side of the record ring.
 *
 * Translated code appends at r15 until gs.limit; the runtime takes r15 over at each exit (ring.at)
 * and gives it back. Chunks are handed over in order; at most SHR_N_CHUNKS are under way.
 *
 * INVARIANT   after the last whole record lies TRC_BLANK; gst_ring_end() writes it here, translated
 *             code its own. So softpmu can read an open chunk at any time, even of a killed guest.
 */
#include "guest/gst.h"
#include "guest/stream/ring.h"

static uint64_t chunk_address(uint32_t number)
{
	return SHR_RING_BASE + (uint64_t)(number % SHR_N_CHUNKS) * SHR_CHUNK_BYTES;
}

/* Read as the kernel's vdso reads it: from the limit of the segment in selector 7BH. */
uint32_t gst_host_cpu(void)
{
	uint32_t limit = UINT32_MAX;

	/* LSL leaves `limit` unchanged if the segment does not exist */
	__asm__("lsl %1, %0" : "+r"(limit) : "r"(0x7b) : "cc");
	return limit == UINT32_MAX ? limit : limit & 0xfff;
}

/* softpmu has read the chunk on another processor, which shares its lines since: each store into
 * such a line would wait for the other one to give it up. Flushed, lines come back from memory
 * as the stream of stores goes on (docs/decisions/003-waiting.md). Only the bytes that were handed
 * over last time can have been read. */
static void take_lines_back(const struct gst *g, uint32_t number)
{
	const uint32_t used = g->ctl->chunk_bytes[number % SHR_N_CHUNKS];
	const uint64_t end = g->ring.chunk + (used < SHR_CHUNK_BYTES ? used : SHR_CHUNK_BYTES);

	if (!g->ctl->start.has_line_flush ||
	    __atomic_load_n(&g->ctl->reader_cpu, __ATOMIC_RELAXED) == gst_host_cpu())
		return;
	for (uint64_t line = g->ring.chunk; line < end; line += 64)
		__asm__ volatile("clflushopt (%0)" : : "r"(line) : "memory");
}

#define WORK_FULL (1ull << SHR_WORK_LOG2)

/* shr_gs.work of an empty chunk: all chunks together may hold most_work. */
static uint64_t work_start(const struct gst *g)
{
	return WORK_FULL - g->ctl->start.most_work / SHR_N_CHUNKS;
}

int gst_ring_is_worked(const struct gst *g)
{
	return g->gs->work >= WORK_FULL;
}

void gst_ring_work(struct gst *g, uint64_t n)
{
	g->gs->work += n;
	if (gst_ring_is_worked(g))
		*(volatile uint64_t *)&g->gs->limit = 0;
}

/* A record that moves along may have its end anywhere in what moves. */
static void take_chunk(struct gst *g, uint32_t number, int moves_along)
{
	g->ring.chunk = chunk_address(number);
	g->ring.at = g->ring.chunk;
	take_lines_back(g, number);
	g->gs->work = work_start(g);
	memset((void *)g->ring.chunk, 0xff, moves_along ? SHR_CHUNK_KEEP + 4 : 4); /* TRC_BLANK */
	gst_ring_note(g);
	gst_stop_limit(g);
}

void gst_ring_end(uint64_t at)
{
	__atomic_store_n((uint32_t *)at, TRC_BLANK, __ATOMIC_RELEASE);
}

uint64_t gst_ring_limit(const struct gst *g)
{
	const uint32_t most = __atomic_load_n(&g->ctl->chunk_most, __ATOMIC_RELAXED);

	if (g->ctl->start.chaos & SHR_CHAOS_SMALL_CHUNK)
		return g->ring.chunk + 2048;
	return g->ring.chunk + (most && most < SHR_CHUNK_BYTES - SHR_CHUNK_SLACK
				    ? most
				    : SHR_CHUNK_BYTES - SHR_CHUNK_SLACK);
}

void gst_ring_start(struct gst *g)
{
	memset(g->ring.work, 0, sizeof(g->ring.work));
	take_chunk(g, g->ctl->produced, 0);
}

void gst_ring_doorbell(struct gst *g)
{
	struct shr_ctl *c = g->ctl;

	if (!__atomic_load_n(&c->consumer_sleeps, __ATOMIC_SEQ_CST))
		return; /* before it sleeps it looks again */
	__atomic_add_fetch(&c->doorbell, 1, __ATOMIC_SEQ_CST);
	trc_futex_wake(&c->doorbell);
}

/* Returns 1 if these chunks hold more work than may be under way. One block can do any number of
 * elements. */
static int is_too_much(const struct gst *g, uint32_t consumed, uint32_t produced)
{
	uint64_t sum = 0;

	for (; consumed != produced; consumed++) {
		const uint64_t work = g->ring.work[consumed % SHR_N_CHUNKS];

		sum += work < WORK_FULL ? work : WORK_FULL;
	}
	return sum > g->ctl->start.most_work;
}

/* If all chunks are full, or hold too much work: sleep until SHR_REFILL_CHUNKS are left to be read,
 * with no more work than may be under way. The consumer is the slower side for long stretches, so a
 * waiting loop would burn a processor. The chunks that are still full hide the time of waking up.
 * softpmu sends the wake-up. */
static void wait_for_room(struct gst *g, uint32_t produced)
{
	struct shr_ctl *c = g->ctl;
	uint32_t consumed = __atomic_load_n(&c->consumed, __ATOMIC_ACQUIRE);

	if (produced - consumed < SHR_N_CHUNKS && !is_too_much(g, consumed, produced))
		return;
	__atomic_store_n(&c->guest_sleeps, 1, __ATOMIC_SEQ_CST);
	for (;;) {
		consumed = __atomic_load_n(&c->consumed, __ATOMIC_SEQ_CST);
		if (produced - consumed <= SHR_REFILL_CHUNKS && !is_too_much(g, consumed, produced))
			break;
		trc_futex_wait(&c->consumed, consumed, 100000000);
	}
	__atomic_store_n(&c->guest_sleeps, 0, __ATOMIC_SEQ_CST);
}

void gst_ring_flush(struct gst *g, uint32_t keep)
{
	struct shr_ctl *c = g->ctl;
	uint64_t from = g->ring.at;
	uint32_t number = c->produced;
	uint64_t used = g->ring.at - g->ring.chunk;

	if (used == 0)
		return;
	if (used > SHR_CHUNK_BYTES)
		gst_refuse(g, "the program wrote over the record pointer; the counts are lost",
			   NULL);
	if (keep > SHR_CHUNK_BYTES - used)
		/* the bytes after it belong to another chunk */
		keep = (uint32_t)(SHR_CHUNK_BYTES - used);
	c->chunk_bytes[number % SHR_N_CHUNKS] = (uint32_t)used;
	g->ring.work[number % SHR_N_CHUNKS] = g->gs->work - work_start(g);
	__atomic_store_n(&c->produced, number + 1, __ATOMIC_SEQ_CST);
	gst_ring_doorbell(g);
	wait_for_room(g, number + 1);
	gst_event_moves(g, from, chunk_address(number + 1));
	gst_timers_move(g, from, chunk_address(number + 1));
	take_chunk(g, number + 1, keep >= 4);
	if (keep < 4)
		return;
	memcpy((void *)(g->ring.at + 4), (const void *)(from + 4), keep - 4);
	__atomic_store_n((uint32_t *)g->ring.at, *(const uint32_t *)from, __ATOMIC_RELEASE);
}

uint64_t gst_ring_whole(const struct gst *g)
{
	return (uint64_t)(g->ctl->produced + 1) << 32 | (g->ring.at - g->ring.chunk);
}

void gst_ring_note(struct gst *g)
{
	__atomic_store_n(&g->ctl->open_chunk, gst_ring_whole(g), __ATOMIC_RELEASE);
}

void gst_ring_with(struct gst *g, struct req_box *b)
{
	b->whole = gst_ring_whole(g);
	g->ring.has_maps = 0;
	__atomic_store_n(&g->ctl->open_chunk, b->whole | SHR_NOTE_TAKEN, __ATOMIC_RELEASE);
}

int gst_ring_retract(struct gst *g, uint32_t bytes)
{
	uint64_t noted = __atomic_load_n(&g->ctl->open_chunk, __ATOMIC_ACQUIRE);

	return !(noted & SHR_NOTE_TAKEN) && (uint32_t)noted >= bytes && /* it is in this chunk */
	       __atomic_compare_exchange_n(&g->ctl->open_chunk, &noted, noted - bytes, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void gst_ring_event(struct gst *g, uint32_t kind, const void *payload, uint32_t bytes)
{
	uint32_t head[2] = {TRC_SPECIAL + kind, bytes};

	if (g->ring.at + 8 + bytes > g->ring.chunk + SHR_CHUNK_BYTES - SHR_CHUNK_SLACK)
		gst_ring_flush(g, 0);
	if (kind == TRC_THREAD)
		__atomic_store_n(&g->ctl->chunk_turns[g->ctl->produced % SHR_N_CHUNKS],
				 g->ctl->produced + 1, __ATOMIC_RELAXED);
	if (kind == TRC_INPUT)
		__atomic_store_n(&g->ctl->chunk_inputs[g->ctl->produced % SHR_N_CHUNKS],
				 g->ctl->produced + 1, __ATOMIC_RELAXED);
	if (kind == TRC_MAP || kind == TRC_UNMAP || kind == TRC_EXEC) {
		g->ring.has_maps = 1;
		__atomic_store_n(&g->ctl->chunk_maps[g->ctl->produced % SHR_N_CHUNKS],
				 g->ctl->produced + 1, __ATOMIC_RELAXED);
	}
	gst_ring_end(g->ring.at + 8 + bytes); /* nothing follows it yet */
	memcpy((void *)(g->ring.at + 4), &head[1], 4);
	memcpy((void *)(g->ring.at + 8), payload, bytes);
	__atomic_store_n((uint32_t *)g->ring.at, head[0], __ATOMIC_RELEASE);
	g->ring.at += 8 + bytes;
}

void gst_ring_word(struct gst *g, uint32_t kind, uint64_t word)
{
	gst_ring_event(g, kind, &word, sizeof(word));
}
