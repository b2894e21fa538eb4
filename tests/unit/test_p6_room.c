/* Clocks are the same when there is hardly any room for states and steps: it is emptied several
 * times, and states get a number when they are met again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "model/family.h"
#include "model/p6/p6.h"
#include "model/p6/kept/memo.h"
#include "random_stream.h"
#include "stream.h"

enum { N_STEPS = 40000, TIMES = 9 };

/* s, TIMES times over, so that some states come again. percent: of the room. Returns how often that
 * was emptied. */
static uint32_t run(const struct stream *s, const struct mdl_config *cfg, unsigned percent,
		    struct wires *w)
{
	void *self = NULL;
	uint32_t n_emptied;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_p6.open(cfg, w, &self), 0);
	((struct p6_system *)self)->memo_percent = percent;
	for (unsigned i = 0; i < TIMES; i++)
		assert_int_equal(mdl_p6.feed(self, s->bytes, s->n), 0);
	mdl_p6.finish(self);
	n_emptied = p6_memo_n_emptied(((struct p6_system *)self)->cpu[0]);
	mdl_p6.close(self);
	return n_emptied;
}

static void little_room_counts_the_same(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium2", "pentiumpro"};
	static struct wires plain, little;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct stream s;
		struct mdl_config cfg;

		random_stream(&s, 7001 + i, N_STEPS, RANDOM_REAL);
		cfg = stream_config(&s, cpus[i]);
		for (size_t k = 0; k < n; k++)
			cfg.wanted[k] = strncmp(wire[k].name, "core.slot_", 10) != 0;
		cfg.host_code_after = 16;
		assert_true(run(&s, &cfg, 1, &little) >= 2);
		cfg.has_no_memo = true;
		assert_int_equal(run(&s, &cfg, 0, &plain), 0);
		assert_true(plain.driven[WIRE_P6_CORE_CLK]);
		for (unsigned k = 0; k < WIRE_N; k++)
			if (plain.total[k] != little.total[k])
				fail_msg("%s: %s is %llu in full, %llu with little room", cpus[i],
					 wire[k].name, (unsigned long long)plain.total[k],
					 (unsigned long long)little.total[k]);
		stream_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(little_room_counts_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
