/* params.c -- the parameters of a pipeline: those of the processor, and what --set puts in their
 * place.
 *
 * SOURCES          catalog/p6/params.tsv, a source per row.
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/params.h"

#include <string.h>

#include "base/error.h"

#define MOST_CLK	     1000u
#define P6_MOST_STRETCH_LOG2 60u

/* Is there room for such a machine in the state? */
static bool fits(const struct p6_params *p)
{
	const uint16_t buffers[] = {p->load_buffers, p->store_buffers, p->fill_buffers,
				    p->bus_queue, p->queue_uops};
	const uint16_t widths[] = {p->rename_uops, p->retire_uops,  p->sequencer_uops,
				   p->decoders,	   p->complex_uops, p->simple_uops};

	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (!buffers[i] || buffers[i] > P6_MAX_BUFFERS)
			return false;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		if (!widths[i] || widths[i] > P6_MAX_GROUP)
			return false;
	return p->rob >= P6_MAX_GROUP && p->rob <= P6_MAX_ROB && p->rs >= P6_MAX_GROUP &&
	       p->rs <= P6_MAX_ROB && p->rrf_ports && p->fetch_bytes >= 16 &&
	       p->fetch_bytes <= 64 && !(p->fetch_bytes & (p->fetch_bytes - 1)) &&
	       p->mispredict_clk >= p->decode_to_rename_clk && p->baclear_clk && p->load_clk &&
	       p->rename_to_dispatch_clk && p->done_to_retire_clk &&
	       p->smc_clk >= p->decode_to_rename_clk && p->stretch_log2 <= P6_MOST_STRETCH_LOG2;
}

int p6_params_open(struct p6 *m, const struct mdl_config *cfg)
{
	struct p6_params *p = &m->time.par;

#define P6_PARAM(name) p->name = (uint16_t)cat_p6_param(m->cpu, #name);
#include "model/p6/clocks/params.def"
#undef P6_PARAM
	for (uint32_t i = 0; i < cfg->p6.n_setting && i < MDL_MAX_PARAMS; i++) {
		const struct mdl_setting *s = &cfg->p6.setting[i];

		if (s->value > MOST_CLK)
			return -SPMU_EINVAL;
#define P6_PARAM(field)                                                                            \
	if (!strcmp(s->name, #field))                                                              \
		p->field = s->value;
#include "model/p6/clocks/params.def"
#undef P6_PARAM
	}
	return fits(p) ? 0 : -SPMU_EINVAL;
}
