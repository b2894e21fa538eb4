/* board.c -- reads --board, --set, --uncached, --defer, --breakpoint and --wrong-path. Rules are
 * in board.h.
 *
 * Each reader takes the text apart from left to right and writes into struct mdl_config. The
 * board's parts are parameters of the P5 under short names, so --board and --set fill one list, in
 * which the later setting of a parameter replaces the earlier one. cli_board_fits() is asked at
 * the end, when the processor is known.
 */
#include "cli/board.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "gen/p5_params.h"

/* A number at *at, which moves behind it; false when there is none above `max`. */
static bool has_number(const char **at, uint64_t max, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*out = strtoull(*at, &end, 0);
	*at = end;
	return !errno && *out <= max;
}

/* If the text at *at begins with `word`, moves *at past it and returns true. */
static bool has_word(const char **at, const char *word)
{
	const size_t n = strlen(word);

	if (strncmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

/* Set a figure, in place of an earlier setting of it. */
static bool set_param(struct mdl_config *cfg, unsigned index, uint64_t value)
{
	uint32_t i = 0;

	while (i < cfg->p5.n_param && cfg->p5.param[i].index != index)
		i++;
	if (i == MDL_MAX_PARAMS)
		return false;
	cfg->p5.param[i] = (struct mdl_param){(uint16_t)index, (uint16_t)value};
	cfg->p5.n_param += i == cfg->p5.n_param;
	return true;
}

/* Number of the figure whose name is the first n bytes of `name`, or -1. */
static int find_param(const char *name, size_t n)
{
	size_t n_param;
	const struct cat_param *f = cat_params(&n_param);

	for (size_t i = 0; i < n_param; i++)
		if (strlen(f[i].name) == n && memcmp(f[i].name, name, n) == 0)
			return (int)i;
	return -1;
}

/* Set a parameter of the P6, in place of an earlier setting of it. */
static bool set_p6(struct mdl_config *cfg, const char *name, uint64_t value)
{
	uint32_t i = 0;

	while (i < cfg->p6.n_setting && cfg->p6.setting[i].name != name)
		i++;
	if (i == MDL_MAX_PARAMS)
		return false;
	cfg->p6.setting[i] = (struct mdl_setting){name, (uint16_t)value};
	cfg->p6.n_setting += i == cfg->p6.n_setting;
	return true;
}

int cli_params(const char *text, struct mdl_config *out)
{
	const char *at = text;

	do {
		const size_t n = strcspn(at, "=,");
		const int index = find_param(at, n);
		const char *p6 = cat_p6_param_name(at, n);
		uint64_t value;

		if (index < 0 && !p6) {
			cli_fail(
			    "--set %.*s: there is no such figure; softpmu list figures shows them",
			    (int)n, at);
			return -1;
		}
		at += n;
		if (!has_word(&at, "=") || !has_number(&at, UINT16_MAX, &value) ||
		    (*at && *at != ',')) {
			cli_fail("--set %s: write NAME=VALUE, as in dcache.miss_return_clk=0",
				 text);
			return -1;
		}
		if (index < 0 ? !set_p6(out, p6, value) : !set_param(out, (unsigned)index, value)) {
			cli_fail("--set: at most %u figures", MDL_MAX_PARAMS);
			return -1;
		}
	} while (*at++);
	return 1;
}

/* "6-2-2-2": clocks to the first transfer and to each of the others, which are equal. */
static bool has_burst(const char **at, struct mdl_config *out, unsigned lead, unsigned step)
{
	uint64_t n[4];

	for (unsigned i = 0; i < 4; i++)
		if ((i && !has_word(at, "-")) || !has_number(at, 1000, &n[i]) || !n[i])
			return false;
	return n[0] >= 2 && n[1] == n[2] && n[2] == n[3] && set_param(out, lead, n[0]) &&
	       set_param(out, step, n[1]);
}

static bool has_board_part(const char **at, struct mdl_config *out)
{
	uint64_t n;

	if (has_word(at, "l2="))
		return has_burst(at, out, P5_PAR_BUS_L2_LEAD, P5_PAR_BUS_L2_STEP);
	if (has_word(at, "mem="))
		return has_burst(at, out, P5_PAR_BUS_MEM_LEAD, P5_PAR_BUS_MEM_STEP);
	if (has_word(at, "write="))
		return has_burst(at, out, P5_PAR_BUS_WRITE_LEAD, P5_PAR_BUS_WRITE_STEP);
	if (has_word(at, "row="))
		return has_number(at, 1000, &n) && set_param(out, P5_PAR_BUS_MEM_ROW, n);
	if (has_word(at, "size="))
		return has_number(at, 32768, &n) && !(n & (n - 1)) &&
		       set_param(out, P5_PAR_BUS_L2_KB, n);
	return false;
}

int cli_board(const char *text, struct mdl_config *out)
{
	const char *at = text;

	do {
		if (has_board_part(&at, out) && (!*at || *at == ','))
			continue;
		cli_fail("--board %s: a comma list of l2=3-1-1-1, mem=6-2-2-2, write=3-1-1-1, "
			 "row=3, size=256 "
			 "is wanted (bus clocks; the last three of a burst are equal; KB)",
			 text);
		return -1;
	} while (*at++);
	return 1;
}

static int add_range(const char *option, const char *text, struct mdl_range *list, uint32_t *n)
{
	const char *at = text;
	uint64_t from, to;
	bool is_good = has_number(&at, UINT64_MAX, &from), is_sum;

	is_sum = is_good && *at == '+';
	is_good = is_good && (*at == '+' || *at == '-');
	at++;
	is_good = is_good && has_number(&at, UINT64_MAX, &to) && !*at;
	if (is_good && is_sum)
		to += from;
	if (!is_good || to <= from) {
		cli_fail("--%s %s: write FROM-TO or FROM+BYTES, as in 0x500000+4096", option, text);
		return -1;
	}
	if (*n == MDL_MAX_UNCACHED) {
		cli_fail("--%s: at most %u ranges", option, MDL_MAX_UNCACHED);
		return -1;
	}
	list[(*n)++] = (struct mdl_range){from, to};
	return 1;
}

int cli_uncached(const char *text, struct mdl_config *out)
{
	return add_range("uncached", text, out->uncached, &out->n_uncached);
}

int cli_defer(const char *text, struct mdl_config *out)
{
	return add_range("defer", text, out->p6.deferred, &out->p6.n_deferred);
}

int cli_breakpoint(const char *text, struct mdl_config *out)
{
	struct mdl_breakpoint b = {.bytes = 1, .type = MDL_BREAK_EXECUTE};
	const char *at = text;
	uint64_t i, bytes = 1;

	if (!has_number(&at, 3, &i) || !has_word(&at, ":") || !has_number(&at, UINT64_MAX, &b.lin))
		goto bad;
	if (has_word(&at, ":rw"))
		b.type = MDL_BREAK_ACCESS;
	else if (has_word(&at, ":w"))
		b.type = MDL_BREAK_WRITE;
	else if (*at && !has_word(&at, ":x"))
		goto bad;
	if (*at &&
	    (!has_word(&at, ":") || !has_number(&at, 4, &bytes) || bytes == 3 || !bytes || *at))
		goto bad;
	if (b.type == MDL_BREAK_EXECUTE && bytes != 1)
		goto bad;
	b.bytes = (uint8_t)bytes;
	b.lin &= ~(uint64_t)(b.bytes - 1u);
	out->p5.breakpoint[i] = b;
	return 1;
bad:
	cli_fail("--breakpoint %s: write I:ADDRESS[:x|w|rw[:BYTES]], I from 0 to 3, BYTES 1, 2 or "
		 "4; as in "
		 "0:0x401000:x",
		 text);
	return -1;
}

int cli_wrong_path(const char *text, struct mdl_config *out)
{
	static const char *const word[] = {
	    [MDL_WRONG_DECODE] = "decode", [MDL_WRONG_OFF] = "off", [MDL_WRONG_LOADS] = "loads"};

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(text, word[i])) {
			out->p6.wrong_path = (uint8_t)i;
			return 1;
		}
	cli_fail("--wrong-path %s: there are off, decode and loads", text);
	return -1;
}

const char *cli_wrong_path_name(const struct mdl_config *model)
{
	switch (model->p6.wrong_path) {
	case MDL_WRONG_OFF: return "off";
	case MDL_WRONG_LOADS: return "loads";
	default: return NULL;
	}
}

int cli_board_fits(const struct mdl_config *model)
{
	if (model->cpu->family == CAT_P6)
		for (unsigned i = 0; i < 4; i++)
			if (model->p5.breakpoint[i].bytes) {
				cli_fail("--breakpoint: no event of the P6 counts what a "
					 "breakpoint register sees; "
					 "the Pentium has some (--cpu pentium)");
				return -1;
			}
	if (model->cpu->family == CAT_P5 && model->p6.n_setting) {
		cli_fail("--set %s: a figure of the P6; softpmu list figures --cpu %s shows those "
			 "of this processor",
			 model->p6.setting[0].name, model->cpu->name);
		return -1;
	}
	if (model->cpu->family == CAT_P5 && model->p6.mutation) {
		cli_fail("--mutate %s: the P6 has this test hook; figures of the Pentium are "
			 "changed by --set",
			 model->p6.mutation);
		return -1;
	}
	if (model->cpu->family == CAT_P5 && model->p6.wrong_path) {
		cli_fail("--wrong-path: the Pentium executes nothing behind a mispredicted branch "
			 "(the P6 does: --cpu pentium3)");
		return -1;
	}
	if (model->cpu->family == CAT_P5 && model->p6.n_deferred) {
		cli_fail("--defer: the Pentium's bus knows no deferred replies; the P6's does "
			 "(--cpu pentium3)");
		return -1;
	}
	return 0;
}
