#include "session/reading.h"

#include "session/counting.h"
#include "session/serve.h"
#include "session/tally.h"

void ses_read(struct ses_server *s)
{
	ses_serve_drain(s);
	ses_tally_settle(s);
	mdl_finish(s->model);
}

struct ses_count ses_read_event(const struct ses_server *s, const struct ses_event *e)
{
	struct ses_count count;

	ses_count_events(s->cfg->model.cpu, e, 1, s->wires, &count);
	return count;
}

uint64_t ses_read_once(const struct ses_server *s, const struct ses_event *e, uint32_t id)
{
	return ses_once(s->model, e, id);
}
