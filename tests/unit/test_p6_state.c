/* The machine between two blocks as bytes: what comes back from them is the same machine to whoever
 * comes next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/p6/p6.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/params.h"

enum { ROUNDS = 1000, PC = 0x1234 };

static uint32_t seed = 1;

static unsigned upto(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Mostly nothing, else mostly little. */
static uint64_t some_clks(unsigned most)
{
	return upto(3) ? upto(2) : upto(8) ? upto(5) : upto(most);
}

static void fill_ring(uint64_t *ring, unsigned size, uint32_t *at, unsigned n, uint64_t base,
		      unsigned most)
{
	uint64_t clk = base - upto(60);

	*at = upto(1000) + n;
	for (unsigned i = 0; i < size; i++)
		ring[i] = 0;
	for (unsigned j = 0; j < n; j++)
		ring[(*at - n + j) % size] = clk += some_clks(most);
}

static void fill_station(struct p6_time *t)
{
	const unsigned n = upto(t->par.rs + 1u);
	uint64_t clk;

	t->rs_clk = t->rs_last = t->ren.next_clk - upto(12);
	for (unsigned i = 0; i < n; i++) {
		clk = t->rs_clk + (upto(20) ? upto(40) : upto(2000));
		t->rs_leaving[clk % P6_STATION_CLKS]++;
		t->rs_last = p6_later(t->rs_last, clk);
		t->rs_used++;
	}
}

static void take(uint64_t *ring, uint64_t *last, uint64_t clk)
{
	ring[clk / 64 % P6_PORT_WORDS] |= 1ull << (clk & 63);
	*last = p6_later(*last, clk);
}

static void fill_ports(struct p6_time *t)
{
	t->port_base = t->ren.next_clk & ~(uint64_t)63;
	for (unsigned port = 0; port < P6_PORTS; port++) {
		const bool is_odd = !upto(4);

		for (unsigned n = upto(6); n; n--) {
			const uint64_t clk = t->ren.next_clk + (upto(30) ? upto(30) : upto(3000));

			take(t->port[port], &t->port_last[port], clk);
			if (port < P6_RESULT_PORTS)
				take(t->result[port], &t->result_last[port],
				     clk + (is_odd ? upto(4) : 0));
		}
	}
	for (unsigned i = 1; i < CAT_P6_N_UNITS; i++)
		t->unit_clk[i] = t->ren.next_clk + upto(3) * upto(60);
}

static void fill_rest(struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;

	t->retire_clk = base + upto(40);
	t->front.clk = base - 5 + upto(12);
	t->front.is_fresh = upto(2);
	t->front.block_end = PC + upto(16);
	t->ren.queue_at = upto(100) + t->par.queue_uops;
	for (unsigned i = 0; i < t->par.queue_uops; i++)
		t->ren.queue[(t->ren.queue_at + i - t->par.queue_uops) % P6_MAX_QUEUE] =
		    base - 4 + i;
	for (unsigned r = 0; r < P6_N_REGS; r++) {
		if (upto(8))
			continue;
		t->reg[r] = (struct p6_reg_state){base + upto(300), base + upto(400)};
		t->late_regs |= 1ull << r;
	}
	t->store_at = P6_MAX_BUFFERS + upto(100);
	for (unsigned i = 0; i < t->par.store_buffers; i++)
		t->store[(t->store_at - 1 - i) % P6_MAX_BUFFERS] =
		    (struct p6_store){base + upto(300), base + 60 - 9 * i};
	for (unsigned i = 0; i < t->par.fill_buffers; i++) {
		t->fill[i] = (struct p6_fill){
		    .miss = upto(6), .ready_clk = base + upto(90), .done_clk = base + upto(300)};
		t->fills_clk = p6_later(t->fills_clk, t->fill[i].done_clk);
	}
	t->recent.n_miss = 5;
}

static struct p6 *new_machine(void)
{
	static const struct mdl_config cfg;
	struct p6 *m = calloc(1, sizeof(*m));

	m->cpu = cat_find_cpu("pentium3");
	assert_int_equal(p6_params_open(m, &cfg), 0);
	for (unsigned i = 0; i < 16; i++)
		m->time.part[i].bytes = 4;
	m->time.flags.written = P6_F_ALL;
	for (unsigned i = 0; i < 8; i++)
		m->time.x87[i] = (uint8_t)i;
	return m;
}

static struct p6 *some_machine(void)
{
	struct p6 *m = new_machine();
	struct p6_time *t = &m->time;
	const unsigned most = upto(4) ? 40 : 600;

	t->ren.next_clk = 100000 + upto(10000);
	fill_ring(t->rob, P6_MAX_ROB, &t->rob_at, t->par.rob, t->ren.next_clk, most);
	fill_ring(t->load, P6_MAX_BUFFERS, &t->load_at, t->par.load_buffers, t->ren.next_clk, most);
	fill_station(t);
	fill_ports(t);
	fill_rest(t);
	return m;
}

/* Entries are freed in program order, in what is read back, too. */
static void assert_never_falls(const uint64_t *ring, uint32_t at, unsigned size, unsigned n)
{
	for (unsigned j = 1; j < n; j++)
		assert_true(ring[(at - n + j - 1) % size] <= ring[(at - n + j) % size]);
}

/* Groups of one to three that only wait for room in these rings are renamed in the same clocks. */
static void assert_same_room(const uint64_t *a, uint32_t a_at, const uint64_t *b, uint32_t b_at,
			     unsigned size, unsigned n, uint64_t base)
{
	uint64_t clk_a = base, clk_b = base;

	for (unsigned j = 0; j < n;) {
		unsigned group = 1 + upto(3);

		for (; group && j < n; group--, j++) {
			clk_a = p6_later(clk_a, a[(a_at - n + j) % size] + 1);
			clk_b = p6_later(clk_b, b[(b_at - n + j) % size] + 1);
		}
		assert_int_equal(clk_a, clk_b);
		clk_a++;
		clk_b++;
	}
}

static unsigned n_waiting(const struct p6_time *t, uint64_t clk)
{
	unsigned n = 0;

	for (uint64_t c = p6_later(clk, t->rs_clk); c <= t->rs_last; c++)
		n += t->rs_leaving[c % P6_STATION_CLKS];
	return n;
}

/* At clock base + g no more than three in each clock before came: either both are full then, or
 * none is. */
static void assert_same_station(const struct p6_time *a, const struct p6_time *b)
{
	const unsigned rs = a->par.rs, per_clk = a->par.rename_uops;

	for (unsigned g = 0; g < 2100; g++) {
		const unsigned came = per_clk * (g + 1), in_a = n_waiting(a, a->ren.next_clk + g),
			       in_b = n_waiting(b, b->ren.next_clk + g);

		assert_true(in_a == in_b || (in_a + came <= rs && in_b + came <= rs));
		if (!in_a && !in_b)
			break;
	}
}

static uint64_t taken(const uint64_t *ring, uint64_t last, uint64_t clk)
{
	return clk <= last ? ring[clk / 64 % P6_PORT_WORDS] >> (clk & 63) & 1 : 0;
}

static void assert_same(const struct p6_time *a, const struct p6_time *b)
{
	const uint64_t base = a->ren.next_clk, first = base + a->par.rename_to_dispatch_clk;

	assert_never_falls(b->rob, b->rob_at, P6_MAX_ROB, a->par.rob);
	assert_never_falls(b->load, b->load_at, P6_MAX_BUFFERS, a->par.load_buffers);
	assert_same_room(a->rob, a->rob_at, b->rob, b->rob_at, P6_MAX_ROB, a->par.rob, base);
	assert_same_room(a->load, a->load_at, b->load, b->load_at, P6_MAX_BUFFERS,
			 a->par.load_buffers, base);
	for (unsigned j = 0; j < a->par.rob; j++) { /* who asks what has retired does so later */
		const uint64_t clk = a->rob[(a->rob_at - 1 - j) % P6_MAX_ROB],
			       back = b->rob[(b->rob_at - 1 - j) % P6_MAX_ROB];

		assert_true(clk > first ? back == clk : back <= first);
	}
	assert_same_station(a, b);
	for (unsigned port = 0; port < P6_PORTS; port++)
		for (uint64_t clk = first; clk < base + 3100; clk++)
			assert_int_equal(taken(a->port[port], a->port_last[port], clk),
					 taken(b->port[port], b->port_last[port], clk));
	for (unsigned port = 0; port < P6_RESULT_PORTS; port++)
		for (uint64_t clk = first; clk < base + 3100; clk++)
			assert_int_equal(taken(a->result[port], a->result_last[port], clk),
					 taken(b->result[port], b->result_last[port], clk));
	for (unsigned i = 1; i < CAT_P6_N_UNITS; i++)
		assert_int_equal(p6_later(a->unit_clk[i], first), p6_later(b->unit_clk[i], first));
	for (unsigned r = 0; r < P6_N_REGS; r++) {
		assert_int_equal(p6_later(a->reg[r].ready_clk, first),
				 p6_later(b->reg[r].ready_clk, first));
		assert_int_equal(p6_later(a->reg[r].file_clk, base),
				 p6_later(b->reg[r].file_clk, base));
	}
	for (unsigned i = 1; i <= a->par.store_buffers; i++) {
		const struct p6_store *s = &a->store[(a->store_at - i) % P6_MAX_BUFFERS],
				      *o = &b->store[(b->store_at - i) % P6_MAX_BUFFERS];

		assert_int_equal(p6_later(s->commit_clk + 1, base),
				 p6_later(o->commit_clk + 1, base));
		if (s->commit_clk >= base)
			assert_int_equal(p6_later(s->data_clk, first),
					 p6_later(o->data_clk, first));
	}
}

static void a_state_comes_back(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct p6 *a = some_machine(), *b = i % 2 ? some_machine() : new_machine();
		uint8_t bytes[P6_STATE_BYTES], again[P6_STATE_BYTES];
		struct p6_reach reach, reach_again;
		const unsigned n = p6_state_pack(a, PC, bytes, &reach);

		assert_int_not_equal(n, 0);
		b->time.ren.next_clk = a->time.ren.next_clk;
		b->time.retire_clk = a->time.retire_clk;
		b->time.recent.n_miss = a->time.recent.n_miss;
		p6_state_unpack(b, PC, a->time.recent.n_miss, bytes);
		assert_same(&a->time, &b->time);
		assert_int_equal(p6_state_pack(b, PC, again, &reach_again), n);
		assert_memory_equal(bytes, again, n);
		assert_memory_equal(&reach, &reach_again, sizeof(reach));
		free(a);
		free(b);
	}
}

/* Bytes say where they end: of two states none is the beginning of the other, unless they are the
 * same. */
static void a_state_is_no_beginning(void **state)
{
	uint8_t last[P6_STATE_BYTES];
	unsigned n_last = 0;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct p6 *m = some_machine();
		uint8_t bytes[P6_STATE_BYTES];
		struct p6_reach reach;
		const unsigned n = p6_state_pack(m, PC, bytes, &reach),
			       least = n < n_last ? n : n_last;

		assert_true(!least || n == n_last || memcmp(bytes, last, least) != 0);
		memcpy(last, bytes, n);
		n_last = n;
		free(m);
	}
}

/* Clocks that are too far apart are not said at all. */
static void too_far_is_not_said(void **state)
{
	struct p6_reach reach;
	uint8_t bytes[P6_STATE_BYTES];
	struct p6 *m;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		m = new_machine();
		m->time.ren.next_clk = m->time.front.clk = 100000;
		m->time.rob_at = P6_MAX_ROB;
		m->time.load_at = m->time.store_at = P6_MAX_BUFFERS;
		m->time.front.is_fresh = true;
		assert_int_not_equal(p6_state_pack(m, PC, bytes, &reach), 0);
		if (i == 0)
			m->time.rob[P6_MAX_ROB - 1] = 100000 + UINT16_MAX;
		else if (i == 1)
			m->time.load[P6_MAX_BUFFERS - 1] = 100000 + UINT16_MAX;
		else if (i == 2)
			m->time.reg[3].file_clk = 100001 + UINT16_MAX;
		else
			m->time.addresses_clk = 110000 + UINT16_MAX;
		m->time.late_regs = 1u << 3;
		assert_int_equal(p6_state_pack(m, PC, bytes, &reach), 0);
		free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_state_comes_back),
	    cmocka_unit_test(a_state_is_no_beginning),
	    cmocka_unit_test(too_far_is_not_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
