#include "session/clock.h"

#include <string.h>

#include "session/counting.h"
#include "session/events.h"
#include "session/reading.h"
#include "session/serve.h"
#include "session/tally.h"

#define KILO 1000u

int ses_clock_open(struct ses_clock *c, const struct cat_cpu *cpu, bool is_model, struct spmu_error *err)
{
	memset(c, 0, sizeof(*c));
	c->is_model = is_model;
	c->mhz = cpu->core_mhz;
	if (is_model && (ses_parse_event(cpu, "cycles", false, &c->cycles, err) ||
	                 ses_event_status(cpu, &c->cycles).status != SES_COUNTED))
		return spmu_fail(err, SPMU_ENOTSUP, "--clock model: the clocks of %s are not modelled; leave it away",
		                 cpu->name);
	return 0;
}

/* n * by / over without loss where the result fits. */
static uint64_t scaled(uint64_t n, uint32_t by, uint32_t over)
{
	return n / over * by + n % over * by / over;
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
	struct ses_time t = { 0, 0, 0 };

	if (!c->is_model) {
		t.stamp = ses_tally_instructions(s);
		return t;
	}
	t.stamp = ses_read_event(s, &c->cycles).value;
	t.executed_ns = scaled(t.stamp, KILO, c->mhz);
	t.elapsed_ns = t.executed_ns + c->slept_ns;
	t.stamp += scaled(c->slept_ns, c->mhz, KILO);
	return t;
}

void ses_clock_slept(struct ses_server *s, uint64_t elapsed_ns)
{
	const uint64_t now = s->clock.is_model ? ses_clock_now(s).elapsed_ns : elapsed_ns;

	if (elapsed_ns > now)
		s->clock.slept_ns += elapsed_ns - now;
}
