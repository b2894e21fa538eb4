/* clock.c -- computes the program's clocks from the counts, and passes the clocks of ended
 * children on. Rules: clock.h. */
#include "session/serve/clock.h"

#include <string.h>

#include "session/totals/counting.h"
#include "event/events.h"
#include "session/serve/reading.h"
#include "session/serve/serve.h"
#include "session/serve/tally.h"

#define KILO 1000u

int ses_clock_open(struct ses_clock *c, const struct cat_cpu *cpu, bool is_model,
		   struct spmu_error *err)
{
	memset(c, 0, sizeof(*c));
	c->is_model = is_model;
	c->mhz = cpu->core_mhz;
	if (is_model && (evt_parse_event(cpu, "cycles", false, &c->cycles, err) ||
			 ses_event_status(cpu, &c->cycles).status != EVT_COUNTED))
		return spmu_fail(err, SPMU_ENOTSUP,
				 "--clock model: the clocks of %s are not modelled; leave it away",
				 cpu->name);
	return 0;
}

/* n * by / over without loss where the result fits. */
static uint64_t scaled(uint64_t n, uint32_t by, uint32_t over)
{
	return n / over * by + n % over * by / over;
}

/* Returns the clocks that the model counted for other processes: before this one was born, and for
 * children in its memory. */
static uint64_t others_clocks(const struct ses_server *s)
{
	struct evt_count count;
	struct wires w;

	if (!s->base.instructions)
		return 0;
	w = *s->wires;
	memcpy(w.total, s->base.wire, sizeof(w.total));
	ses_count_events(s->cfg->model.cpu, &s->clock.cycles, 1, &w, &count);
	return count.value;
}

struct ses_time ses_clock_now(struct ses_server *s)
{
	ses_serve_drain(s);
	if (s->clock.is_model)
		ses_read_fed(s);
	return ses_clock_fed(s);
}

struct ses_time ses_clock_fed(struct ses_server *s)
{
	const struct ses_clock *c = &s->clock;
	struct ses_time t = {0, 0, 0};

	if (!c->is_model) {
		t.stamp = ses_tally_instructions(s);
		return t;
	}
	t.stamp = ses_read_event(s, &c->cycles).value;
	t.elapsed_ns = scaled(t.stamp, KILO, c->mhz);
	t.executed_ns = t.elapsed_ns - scaled(others_clocks(s), KILO, c->mhz);
	t.elapsed_ns += c->slept_ns;
	t.stamp += scaled(c->slept_ns, c->mhz, KILO);
	return t;
}

void ses_clock_slept(struct ses_server *s, uint64_t elapsed_ns)
{
	const uint64_t now = s->clock.is_model ? ses_clock_now(s).elapsed_ns : elapsed_ns;

	if (elapsed_ns > now)
		s->clock.slept_ns += elapsed_ns - now;
}

void ses_clock_ends(struct ses_server *s)
{
	struct ses_alarm *a = s->family->alarm;
	struct ses_time now;
	uint32_t at;

	if (!s->clock.is_model)
		return;
	now = ses_clock_now(s);
	at = __atomic_fetch_add(&a->n_used, 1, __ATOMIC_SEQ_CST) % SES_MOST_USED;
	a->used[at].executed_ns = now.executed_ns + s->clock.children_ns;
	a->used[at].elapsed_ns = now.elapsed_ns;
	__atomic_store_n(&a->used[at].pid, (pid_t)ses_areas_ctl(s->areas)->guest_pid,
			 __ATOMIC_SEQ_CST);
}

void ses_clock_born(struct ses_server *s)
{
	s->clock.children_ns = 0;
}

uint64_t ses_clock_reaped(struct ses_server *s, pid_t pid)
{
	struct ses_alarm *a = s->family->alarm;
	const uint32_t n = __atomic_load_n(&a->n_used, __ATOMIC_SEQ_CST);

	for (uint32_t i = 0; pid > 0 && i < SES_MOST_USED && i < n; i++) {
		const uint32_t at = (n - 1 - i) % SES_MOST_USED;
		const uint64_t executed_ns = a->used[at].executed_ns,
			       elapsed_ns = a->used[at].elapsed_ns;
		pid_t was = pid;

		if (!__atomic_compare_exchange_n(&a->used[at].pid, &was, 0, 0, __ATOMIC_SEQ_CST,
						 __ATOMIC_SEQ_CST))
			continue;
		s->clock.children_ns += executed_ns;
		ses_clock_slept(s, elapsed_ns);
		return executed_ns;
	}
	return 0;
}
