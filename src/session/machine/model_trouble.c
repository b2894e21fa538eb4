/* model_trouble.c -- finds the setting for which a model could not be opened, and names the
 * option to change. */
#include "session/machine/model_trouble.h"

#include <stdbool.h>
#include <stdio.h>

#include "catalog/catalog.h"

static bool is_pow2(uint32_t x)
{
	return x && !(x & (x - 1));
}

/* The first part whose geometry does not divide into sets; text gets "--l1d 33K:4:32". */
static const char *odd_part(const struct mdl_config *cfg, char *text, size_t room)
{
	const struct {
		const char *name;
		const struct mdl_geom *asked;
		const struct cat_cache *own;
	} part[] = {
	    {"l1i", &cfg->l1i, &cfg->cpu->l1i},	   {"l1d", &cfg->l1d, &cfg->cpu->l1d},
	    {"l2", &cfg->l2, &cfg->cpu->l2},	   {"itlb", &cfg->itlb, &cfg->cpu->itlb},
	    {"dtlb", &cfg->dtlb, &cfg->cpu->dtlb},
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		uint32_t size = part[i].asked->size_bytes;
		uint32_t ways = part[i].asked->ways ? part[i].asked->ways
				: part[i].own->ways ? part[i].own->ways
						    : 4;

		if (!size || (size % ways == 0 && is_pow2(size / ways) && ways <= 16 &&
			      (i >= 3 || size / ways >= 128)))
			continue;
		snprintf(text, room, "--%s %u:%u", part[i].name, size, ways);
		return text;
	}
	return NULL;
}

static bool has_two_line_sizes(const struct mdl_config *cfg)
{
	const uint16_t line[3] = {cfg->l1i.line_bytes, cfg->l1d.line_bytes, cfg->l2.line_bytes};
	uint16_t first = line[0] ? line[0] : line[1] ? line[1] : line[2];

	for (int i = 0; i < 3; i++)
		if (line[i] && line[i] != first)
			return true;
	return false;
}

int ses_model_trouble(const struct mdl_config *cfg, int rc, struct spmu_error *err)
{
	char text[64];

	if (rc == -SPMU_ENOMEM)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the model of %s",
				 cfg->cpu->name);
	if (rc == -SPMU_EINVAL && cfg->p6.mutation)
		return spmu_fail(err, -rc,
				 "--mutate %s: there is no such row, move or rule "
				 "(docs/TESTING.md)",
				 cfg->p6.mutation);
	if (rc == -SPMU_EINVAL && cfg->cpu->family == CAT_P6 && cfg->p6.n_setting)
		return spmu_fail(err, -rc,
				 "--set: no such machine: up to 32 load, store and fill buffers, "
				 "bus transactions and queued micro-ops, widths of 1 to 4, a "
				 "reorder buffer and reservation station of 4 to 128, clocks up "
				 "to 1000");
	if (cfg->cpu->family == CAT_P5 && cfg->l2.size_bytes)
		return spmu_fail(err, -rc,
				 "a %s has no L2 of its own: --board describes that of its board",
				 cfg->cpu->name);
	if (odd_part(cfg, text, sizeof(text)))
		return spmu_fail(err, -rc,
				 "%s: size divided by ways must be a power of two (caches: of at "
				 "least 128 bytes), with at most 16 ways",
				 text);
	if (has_two_line_sizes(cfg))
		return spmu_fail(err, -rc,
				 "--l1i, --l1d, --l2: all caches have lines of one size here; give "
				 "the same LINE or leave it away");
	return spmu_fail(
	    err, -rc,
	    "the model of %s cannot have these settings; lines are 16, 32, 64 or 128 bytes",
	    cfg->cpu->name);
}
