/* geometry.c -- reads SIZE:WAYS:LINE and ENTRIES:WAYS as typed. Rules are in geometry.h. */
#include "cli/geometry.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* A number with K, M or G behind it; moves *at. False when there is none or it is above `max`. */
static bool has_size(const char **at, unsigned long max, unsigned long *out)
{
	unsigned long value;
	unsigned shift = 0;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	value = strtoul(*at, &end, 10);
	switch (toupper((unsigned char)*end)) {
	case 'G':
		shift += 10;
		/* fall through */
	case 'M':
		shift += 10;
		/* fall through */
	case 'K': shift += 10; end++;
	}
	if (errno || value == 0 || value > max >> shift)
		return false;
	*out = value << shift;
	*at = end;
	return true;
}

int cli_geometry(const char *option, const char *text, struct mdl_geom *out)
{
	bool is_tlb = option[1] == 't'; /* --itlb, --dtlb */
	unsigned long size, ways = 0, line = 0;
	const char *at = text;

	if (!has_size(&at, 1ul << 30, &size))
		goto bad;
	if (*at == ':' && (at++, !has_size(&at, 0xffff, &ways)))
		goto bad;
	if (!is_tlb && *at == ':' && (at++, !has_size(&at, 4096, &line)))
		goto bad;
	if (*at)
		goto bad;
	*out = (struct mdl_geom){(uint32_t)size, (uint16_t)ways, (uint16_t)line};
	return 0;
bad:
	if (strchr(text, ','))
		cli_fail("--%s %s: one size is wanted; softpmu stat and replay count for several",
			 option, text);
	else
		cli_fail("--%s %s: write %s", option, text,
			 is_tlb ? "ENTRIES:WAYS, as in 64:4" : "SIZE:WAYS:LINE, as in 16K:4:32");
	return -1;
}

const char *const cli_part_name[CLI_N_PARTS] = {"l1i", "l1d", "l2", "itlb", "dtlb"};

struct mdl_geom *cli_part(struct ses_geometry *g, unsigned part)
{
	struct mdl_geom *const at[CLI_N_PARTS] = {&g->l1i, &g->l1d, &g->l2, &g->itlb, &g->dtlb};

	return at[part];
}

struct ses_geometry cli_geometry_of(const struct mdl_config *model)
{
	return (struct ses_geometry){model->l1i, model->l1d, model->l2, model->itlb, model->dtlb};
}

void cli_geometry_set(struct mdl_config *model, const struct ses_geometry *g)
{
	model->l1i = g->l1i;
	model->l1d = g->l1d;
	model->l2 = g->l2;
	model->itlb = g->itlb;
	model->dtlb = g->dtlb;
}
