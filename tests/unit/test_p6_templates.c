/* Templates of blocks are made once for all machines, until ids become void; what the BTB said
 * otherwise has its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "model/family.h"
#include "model/p6/clocks/templates.h"
#include "model/p6/p6.h"
#include "model/p6/loops/time_feed.h"
#include "stream.h"

enum { N_BLOCKS = 2000 };

static uint32_t block(struct stream *s, uint64_t pc, unsigned n_nop)
{
	struct block_plan p;

	plan_begin(&p, pc);
	for (unsigned i = 0; i < n_nop; i++)
		plan_insn(&p, NULL, 1, X86_GRP_INT, 0);
	return plan_end(&p, s, X86_TERM_FALL, 0);
}

static struct p6_system *machine(const struct stream *s, struct wires *w)
{
	struct mdl_config cfg = stream_config(s, "pentium3");
	void *self = NULL;

	memset(w, 0, sizeof(*w));
	for (unsigned i = 0; i < WIRE_N; i++)
		cfg.wanted[i] = i == WIRE_P6_CORE_CLK;
	assert_int_equal(mdl_p6.open(&cfg, w, &self), 0);
	return self;
}

static void share(struct p6_system *a, const struct p6_system *b)
{
	p6_templates_leave(a->cpu[0]->time.templates);
	a->cpu[0]->time.templates = p6_templates_use(b->cpu[0]->time.templates);
}

static void templates_are_made_once(void **state)
{
	static struct wires w[2];
	struct p6_system *a, *b;
	const struct p6_tblk *first, *again;
	const struct x86_block *x, *y;
	struct stream s;

	(void)state;
	stream_open(&s);
	x = x86_store_get(s.store, block(&s, 0x1000, 3));
	y = x86_store_get(s.store, block(&s, 0x2000, 3));
	a = machine(&s, &w[0]);
	b = machine(&s, &w[1]);
	share(b, a);
	first = p6_template_of(a->cpu[0], x, 0);
	assert_int_equal(first->n_step, 3);
	assert_ptr_equal(p6_template_of(b->cpu[0], x, 0), first);
	assert_ptr_equal(p6_template(a->cpu[0], x), first);
	assert_int_equal(first->n_user, 4); /* two machines, and what their wrong paths know */
	/* the same micro-ops have the same numbers, and these lead back to them */
	again = p6_template_of(b->cpu[0], y, 0);
	assert_ptr_not_equal(again, first);
	assert_int_equal(first->n_uop, 3);
	for (unsigned i = 0; i < first->n_uop; i++) {
		const struct p6_content *c =
		    p6_templates_content(a->cpu[0]->time.templates, first->uop[i].content);

		assert_int_equal(again->uop[i].content, first->uop[i].content);
		assert_int_equal(c->uop.content, first->uop[i].content);
		assert_int_equal(c->uop.kind, P6_U_EXEC);
		assert_int_equal(c->uop.flags, P6_U_FIRST | P6_U_LAST);
	}
	mdl_p6.close(a);
	assert_int_equal(first->n_user, 2);
	mdl_p6.close(b);
	stream_close(&s);
}

static void another_btb_has_its_own(void **state)
{
	static struct wires w[2];
	struct p6_system *a, *b;
	const struct p6_tblk *first, *other;
	const struct x86_block *x;
	struct stream s;

	(void)state;
	stream_open(&s);
	x = x86_store_get(s.store, block(&s, 0x1000, 3));
	a = machine(&s, &w[0]);
	b = machine(&s, &w[1]);
	share(b, a);
	first = p6_template_of(a->cpu[0], x, 0);
	other = p6_template_of(b->cpu[0], x, 2);
	assert_ptr_not_equal(other, first);
	assert_true(other->code[1].may_be_bogus && other->is_odd && !first->is_odd);
	/* void ids: the next block of that number is another one */
	p6_time_forget(a->cpu[0]);
	p6_time_forget(b->cpu[0]);
	x86_store_clear(s.store);
	x = x86_store_get(s.store, block(&s, 0x3000, 5));
	assert_int_equal(x->id, 0);
	assert_int_equal(p6_template_of(b->cpu[0], x, 0)->n_step, 5);
	assert_ptr_equal(p6_template_of(a->cpu[0], x, 0), p6_template_of(b->cpu[0], x, 0));
	mdl_p6.close(a);
	mdl_p6.close(b);
	stream_close(&s);
}

struct reader {
	struct p6 *m;
	const struct stream *s;
	bool is_up;
};

static void *meet_all(void *arg)
{
	const struct reader *r = arg;

	for (uint32_t i = 0; i < N_BLOCKS; i++) {
		const uint32_t id = r->is_up ? i : N_BLOCKS - 1 - i;

		if (!p6_template_of(r->m, x86_store_get(r->s->store, id), 0))
			return NULL;
	}
	return arg;
}

static void two_threads_make_them_once(void **state)
{
	static struct wires w[2];
	struct p6_system *system[2];
	struct reader r[2];
	pthread_t thread[2];
	struct stream s;

	(void)state;
	stream_open(&s);
	for (unsigned i = 0; i < N_BLOCKS; i++)
		block(&s, 0x1000 + 64ull * i, 1 + i % 7);
	for (unsigned i = 0; i < 2; i++)
		system[i] = machine(&s, &w[i]);
	share(system[1], system[0]);
	for (unsigned i = 0; i < 2; i++) {
		r[i] = (struct reader){system[i]->cpu[0], &s, i == 0};
		assert_int_equal(pthread_create(&thread[i], NULL, meet_all, &r[i]), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		void *done;

		pthread_join(thread[i], &done);
		assert_non_null(done);
	}
	for (uint32_t id = 0; id < N_BLOCKS; id++) {
		const struct p6_tblk *t = p6_template(r[0].m, x86_store_get(s.store, id));

		assert_ptr_equal(t, p6_template(r[1].m, x86_store_get(s.store, id)));
		assert_int_equal(t->n_step, 1 + id % 7);
		assert_int_equal(t->n_user, 4);
	}
	for (unsigned i = 0; i < 2; i++)
		mdl_p6.close(system[i]);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(templates_are_made_once),
	    cmocka_unit_test(another_btb_has_its_own),
	    cmocka_unit_test(two_threads_make_them_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
