/* Page faults by session/faults/touches.h: Linux's rules one by one, and the short way past blocks
 * that touch nothing new against the long one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/serve/serve.h"
#include "session/faults/touches.h"
#include "session/faults/touches_ahead.h"
#include "stream.h"
#include "trace/record.h"

enum {
	PAGE = 4096,
	FAR = 1024 * PAGE,
	CODE = 0x400000,
	ANON = 0x10020000,
	FILE_AT = 0x20100000,
	SHARED = 0x30200000
};

/* A program of one block each for reading and writing a word. */
struct program {
	struct stream s;
	struct ses_config cfg;
	struct ses_server server;
	struct ses_touches *t;
	struct ses_touch touch[SES_MOST_TOUCHES];
	uint32_t read, write;
};

static uint32_t word_block(struct stream *s, uint64_t pc, unsigned flags)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, NULL, 2, X86_GRP_INT, 0);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 8, flags);
	return plan_end(&p, s, X86_TERM_FALL, 0);
}

static void map(struct program *p, uint64_t at, uint64_t bytes, uint32_t flags)
{
	uint64_t word[4] = {at, bytes, (uint64_t)flags << 32};

	ses_touches_event(p->t, TRC_MAP, (const uint8_t *)word, sizeof(word));
}

static void tell(struct program *p, uint32_t kind, uint64_t at, uint64_t bytes)
{
	const uint64_t word[2] = {at, bytes};

	ses_touches_event(p->t, kind, (const uint8_t *)word, sizeof(word));
}

/* A new program of which nothing is there but its code. */
static void open_program(struct program *p, uint32_t chaos)
{
	memset(p, 0, sizeof(*p));
	stream_open(&p->s);
	p->read = word_block(&p->s, CODE, X86_REF_READ);
	p->write = word_block(&p->s, CODE + 16, X86_REF_WRITE);
	p->cfg.chaos = chaos;
	p->server.cfg = &p->cfg;
	p->server.store = p->s.store;
	p->t = ses_touches_open(getpid());
	assert_non_null(p->t);
	tell(p, TRC_EXEC, 0, 0);
	map(p, CODE, PAGE, MAP_PRIVATE);
	tell(p, TRC_FILLED, CODE, PAGE);
}

static void close_program(struct program *p)
{
	ses_touches_close(p->t);
	stream_close(&p->s);
}

/* Faults of one execution of a block with these values. */
static unsigned faults(struct program *p, uint32_t block, const uint64_t *slots)
{
	const struct x86_block *b = x86_store_get(p->s.store, block);
	unsigned n = ses_touches_block(p->t, &p->server, block, b->n_insn, (const uint8_t *)slots,
				       8u * b->n_slot, p->touch),
		 all = 0;

	while (n--)
		all += p->touch[n].n;
	return all;
}

static unsigned reads(struct program *p, uint64_t at)
{
	return faults(p, p->read, &at);
}

static unsigned writes(struct program *p, uint64_t at)
{
	return faults(p, p->write, &at);
}

static void memory_without_a_file_faults_twice(void **state)
{
	struct program p;

	(void)state;
	open_program(&p, 0);
	map(&p, ANON, 16 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	assert_int_equal(reads(&p, ANON), 1); /* the page of zeros */
	assert_int_equal(reads(&p, ANON + 8), 0);
	assert_int_equal(writes(&p, ANON), 1);
	assert_int_equal(p.touch[0].lin, ANON);
	assert_int_equal(p.touch[0].insn, 1);
	assert_int_equal(writes(&p, ANON + 16), 0);
	assert_int_equal(writes(&p, ANON + PAGE), 1); /* both in one */
	assert_int_equal(reads(&p, ANON + PAGE), 0);
	assert_int_equal(writes(&p, ANON + 3 * PAGE - 4), 2); /* over two pages */
	tell(&p, TRC_DISCARD, ANON, PAGE);
	assert_int_equal(writes(&p, ANON), 1);
	tell(&p, TRC_UNMAP, ANON, 2 * PAGE);
	map(&p, ANON, 2 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	assert_int_equal(reads(&p, ANON + PAGE), 1);
	assert_int_equal(reads(&p, ANON + 2 * PAGE), 0); /* was not unmapped */
	close_program(&p);
}

static void a_file_comes_by_sixteen_pages(void **state)
{
	struct program p;

	(void)state;
	open_program(&p, 0);
	map(&p, FILE_AT, 24 * PAGE, MAP_PRIVATE);
	assert_int_equal(reads(&p, FILE_AT + 3 * PAGE), 1);
	assert_int_equal(reads(&p, FILE_AT), 0);
	assert_int_equal(reads(&p, FILE_AT + 15 * PAGE), 0);
	assert_int_equal(reads(&p, FILE_AT + 16 * PAGE), 1);
	assert_int_equal(writes(&p, FILE_AT + PAGE), 1); /* its own copy */
	assert_int_equal(writes(&p, FILE_AT + PAGE), 0);
	map(&p, SHARED, 32 * PAGE, MAP_SHARED);
	assert_int_equal(writes(&p, SHARED), 1);
	assert_int_equal(writes(&p, SHARED + PAGE), 1); /* a fault of writing brings no others */
	close_program(&p);
}

static void after_a_fork_both_write_anew(void **state)
{
	struct program p;

	(void)state;
	open_program(&p, 0);
	map(&p, ANON, 4 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	map(&p, SHARED, 4 * PAGE, MAP_SHARED | MAP_ANONYMOUS);
	map(&p, FILE_AT, 4 * PAGE, MAP_PRIVATE);
	assert_int_equal(writes(&p, ANON), 1);
	assert_int_equal(writes(&p, SHARED), 1);
	assert_int_equal(reads(&p, FILE_AT), 1);
	ses_touches_fork(p.t);
	assert_int_equal(reads(&p, ANON), 0);
	assert_int_equal(writes(&p, ANON), 1);
	assert_int_equal(writes(&p, SHARED), 0);
	ses_touches_fork(p.t); /* the child: what a file has, it has not */
	ses_touches_born(p.t);
	assert_int_equal(writes(&p, ANON), 2); /* its code comes from a file, too */
	assert_int_equal(writes(&p, SHARED), 1);
	assert_int_equal(reads(&p, FILE_AT + PAGE), 1);
	close_program(&p);
}

static void strings_touch_all_they_pass(void **state)
{
	static struct block_plan plan;
	const uint64_t slots[2] = {ANON + 8, 3 * PAGE};
	struct program p;
	struct x86_ref *r;
	uint32_t id;

	(void)state;
	open_program(&p, 0);
	map(&p, ANON, 16 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	plan_begin(&plan, CODE + 64);
	plan_insn(&plan, "stosb", 2, X86_GRP_INT, X86_I_REP);
	r = plan_ref(&plan, 1, X86_REF_WRITE | X86_REF_REP);
	plan.block.n_slot++;
	plan.block.n_rep = 1;
	plan.rep[0] = (struct x86_rep){.slot_count = 1,
				       .slot_after = X86_NO_SLOT,
				       .element_bytes = 1,
				       .slot_src = X86_NO_SLOT,
				       .slot_dst = r->slot};
	id = plan_end(&plan, &p.s, X86_TERM_FALL, 0);
	assert_int_equal(faults(&p, id, slots), 4);
	assert_int_equal(faults(&p, id, slots), 0);
	tell(&p, TRC_DF, 1, 0);
	assert_int_equal(faults(&p, id, (const uint64_t[]){ANON + 8 * PAGE, PAGE}),
			 2); /* downwards */
	assert_int_equal(p.touch[0].lin, ANON + 8 * PAGE);
	assert_int_equal(p.touch[0].n, 2);
	close_program(&p);
}

/* Blocks with up to four references of every kind that has a short way. */
static void random_blocks(struct program *p, uint64_t *rng, unsigned n)
{
	static struct block_plan plan;

	for (unsigned i = 0; i < n; i++) {
		plan_begin(&plan, CODE + 0x100 + 64 * i);
		for (unsigned k = stream_random(rng) % 5; k; k--) {
			const uint64_t x = stream_random(rng);
			struct x86_ref *r;

			plan_insn(&plan, "mov", 3, X86_GRP_INT, 0);
			r = plan_ref(&plan, 1u << x % 6, 1 + (x >> 8) % 3);
			r->disp = (x >> 12) % 600;
			if (x >> 24 & 1) { /* the index alone, or base and index, or neither */
				r->slot2 = r->slot;
				r->slot = x >> 25 & 1 ? X86_NO_SLOT : r->slot2;
				r->scale = (uint8_t)(1u << (x >> 26) % 2);
			} else if ((x >> 27) % 4 == 0) {
				r->slot = X86_NO_SLOT;
				r->disp += ANON + PAGE * ((x >> 30) % 8);
			}
			if ((x >> 34) % 5 == 0)
				r->flags |= X86_REF_FS;
		}
		plan_insn(&plan, NULL, 2, X86_GRP_INT, 0);
		plan.block.mode = i % 4 ? X86_MODE_64 : X86_MODE_32;
		plan_end(&plan, &p->s, X86_TERM_FALL, 0);
	}
}

/* Something that takes pages away, or brings them, or tells what addresses mean; the same to both.
 */
static void random_event(struct program *a, struct program *b, uint64_t x)
{
	struct program *const both[2] = {a, b};
	const uint64_t at = ANON + PAGE * ((x >> 8) % 64), bytes = PAGE * (1 + (x >> 16) % 4);

	for (unsigned i = 0; i < 2; i++) {
		switch (x % 7) {
		case 0:
			map(both[i], at, bytes,
			    x >> 24 & 1 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
			break;
		case 1: tell(both[i], TRC_UNMAP, at, bytes); break;
		case 2: tell(both[i], TRC_DISCARD, at, bytes); break;
		case 3: tell(both[i], TRC_FILLED, at, bytes); break;
		case 4: tell(both[i], TRC_FS_BASE, x >> 32 & 0xfff8, 0); break;
		case 5: ses_touches_fork(both[i]->t); break;
		default:
			ses_touches_fork(both[i]->t);
			ses_touches_born(both[i]->t);
			break;
		}
	}
}

static void the_short_way_finds_the_same(void **state)
{
	enum { N_BLOCKS = 40, N_STEPS = 60000 };
	struct program quick, plain;
	uint64_t rng = 4711, slots[X86_MAX_SLOTS];
	unsigned n_passed = 0, n_faults = 0;
	struct x86_store *own;

	(void)state;
	open_program(&quick, 0);
	open_program(&plain, SHR_CHAOS_PLAIN_MODEL);
	own = plain.s.store;
	random_blocks(&quick, &rng, N_BLOCKS);
	plain.server.store = quick.s.store;
	for (unsigned i = 0; i < N_STEPS; i++) {
		const uint64_t x = stream_random(&rng);
		const uint32_t id = 2 + x % N_BLOCKS;
		size_t passed;
		unsigned n;

		if (x >> 8 & 0x7f ? 0 : 1)
			random_event(&quick, &plain, stream_random(&rng));
		for (unsigned k = 0; k < X86_MAX_SLOTS; k++) {
			const uint64_t y = stream_random(&rng);

			/* a few pages, and others that share their places in the table of recent
			 * ones */
			slots[k] = ANON + PAGE * (y % 6) + (y >> 8) % PAGE +
				   (y >> 24 & 31 ? 0 : FAR) +
				   (y >> 32 & 63 ? 0 : PAGE * ((y >> 40) % 64));
		}
		quick.s.n = 0;
		stream_exec(&quick.s, id, slots);
		passed = ses_touches_pass(quick.t, &quick.server, quick.s.bytes, quick.s.n);
		assert_true(passed == 0 || passed == quick.s.n);
		assert_int_equal(ses_touches_pass(plain.t, &plain.server, quick.s.bytes, quick.s.n),
				 0);
		plain.s.store = quick.s.store;
		n = faults(&plain, id, slots);
		if (passed)
			assert_int_equal(n, 0);
		else
			assert_int_equal(faults(&quick, id, slots), n);
		n_passed += passed != 0;
		n_faults += n;
	}
	assert_true(n_passed > N_STEPS / 2 && n_faults > 1000);
	plain.s.store = own;
	close_program(&quick);
	close_program(&plain);
}

/* Registers for block b that are its entry slots' values. */
static void registers_of(const struct x86_block *b, const uint64_t *slots, uint64_t *reg)
{
	for (unsigned k = 0; k < b->n_slot; k++)
		if (b->slot[k].is_entry)
			reg[b->slot[k].reg] = slots[k];
}

/* Who looks ahead from the registers, block after block, is never surprised: what the first
 * instruction touches faults in front of it, and the others that are said to fit fault no more
 * often than that. */
static void a_look_ahead_is_not_surprised(void **state)
{
	enum { N_BLOCKS = 40, N_STEPS = 60000, N_PAGES = 80 };
	static struct ses_ahead ahead;
	struct program p;
	uint64_t rng = 1234, slots[X86_MAX_SLOTS], reg[16] = {0};
	unsigned n_first = 0, n_stops = 0, n_faults = 0;

	(void)state;
	open_program(&p, 0);
	random_blocks(&p, &rng, N_BLOCKS);
	tell(&p, TRC_FS_BASE, 8, 0);
	for (unsigned i = 0; i < N_STEPS; i++) {
		const uint64_t x = stream_random(&rng), n = x >> 40 & 3;
		const struct x86_block *b = x86_store_get(p.s.store, (uint32_t)(2 + x % N_BLOCKS));
		uint64_t left = n;
		unsigned first, fit, more = 0;

		for (unsigned k = 1; i % 16 == 0 && k <= 3; k++) /* base, index, twice the index */
			map(&p, (uint64_t)k * ANON, N_PAGES * PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
		for (unsigned k = 0; k < b->n_slot; k++) {
			b->slot[k].reg = (uint8_t)k;
			b->slot[k].is_entry = b->slot[k].insn == 0 || x >> (8 + k) & 1;
			slots[k] = ANON + stream_random(&rng) % (12 * PAGE);
		}
		registers_of(b, slots, reg);
		assert_true(ses_ahead_take(&ahead, &p.server, b->id, reg));
		first = ses_ahead_first(p.t, &p.server, &ahead, p.touch);
		n_first += first;
		fit = ses_ahead_fit(p.t, &ahead, &left);
		assert_true(fit >= 1 && fit <= b->n_insn && left <= n);
		n_stops += fit < b->n_insn;
		for (unsigned k = ses_touches_block(p.t, &p.server, b->id, fit,
						    (const uint8_t *)slots, sizeof(slots), p.touch);
		     k-- > 0;) {
			assert_true(p.touch[k].insn > 0);
			more += p.touch[k].n;
		}
		assert_true(more <= n - left);
		assert_true(more + first <= ses_ahead_most(&p.server, b->id));
		n_faults += more;
	}
	assert_true(n_first > 1000 && n_stops > 1000 && n_faults > 1000);
	close_program(&p);
}

/* A record that is cut off, and one with another number of values than its block. */
static void what_is_no_record_is_not_passed(void **state)
{
	const uint64_t slot = ANON;
	struct program p;
	uint32_t head;

	(void)state;
	open_program(&p, 0);
	map(&p, ANON, PAGE, MAP_PRIVATE | MAP_ANONYMOUS);
	stream_exec(&p.s, p.read, &slot);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, p.s.n),
			 0); /* not looked at yet */
	assert_int_equal(reads(&p, ANON), 1);
	assert_int_equal(reads(&p, ANON), 0);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, p.s.n), p.s.n);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, p.s.n - 1), 0);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, 3), 0);
	head = trc_block_head(p.read, 0);
	memcpy(p.s.bytes, &head, 4);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, p.s.n), 0);
	head = trc_block_head((1u << TRC_ID_BITS) - 1, 1);
	memcpy(p.s.bytes, &head, 4);
	assert_int_equal(ses_touches_pass(p.t, &p.server, p.s.bytes, p.s.n), 0);
	close_program(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memory_without_a_file_faults_twice),
	    cmocka_unit_test(a_file_comes_by_sixteen_pages),
	    cmocka_unit_test(after_a_fork_both_write_anew),
	    cmocka_unit_test(strings_touch_all_they_pass),
	    cmocka_unit_test(the_short_way_finds_the_same),
	    cmocka_unit_test(a_look_ahead_is_not_surprised),
	    cmocka_unit_test(what_is_no_record_is_not_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
