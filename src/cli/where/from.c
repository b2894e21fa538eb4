/* from.c -- reads --from, opens the function and chooses the piece of it. Rules: from.h. */
#include "cli/where/from.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

/* "FILE:FUNC+1f": the file ends at the first colon before which there is one. */
static int split(struct cli_from *f, const char *value)
{
	const char *colon = strchr(value, ':'), *plus;
	char *end, *path;

	for (; colon; colon = strchr(colon + 1, ':')) {
		snprintf(f->file, sizeof(f->file), "%.*s", (int)(colon - value), value);
		if (colon > value && colon[1] && !access(f->file, R_OK))
			break;
	}
	if (!colon)
		return cli_fail("--from %s: FILE:FUNCTION is wanted, a program or object file "
				"that can be read and one of its functions",
				value);
	snprintf(f->name, sizeof(f->name), "%s", colon + 1);
	path = realpath(f->file, NULL); /* names are asked for by it */
	if (path)
		snprintf(f->file, sizeof(f->file), "%s", path);
	free(path);
	plus = strrchr(f->name, '+');
	if (!plus || plus == f->name || !plus[1])
		return 0;
	f->at = (uint32_t)strtoul(plus + 1, &end, 16);
	f->has_at = !*end;
	if (f->has_at)
		f->name[plus - f->name] = 0;
	return 0;
}

static int decode(struct cli_from *f, const char *what)
{
	if (asm_code_decode(&f->code, f->function.bytes, f->function.n, f->function.is_32 ? 32 : 64,
			    (uint32_t)f->function.offset))
		return cli_fail("out of memory");
	if (!f->code.n)
		return cli_fail("%s: '%s' has no instruction", what, f->name);
	return 0;
}

int cli_from_open(struct cli_from *f, const char *what, struct nm *names)
{
	struct spmu_error err;

	if (whr_function_find(f->file, f->name, names, &f->function, &err))
		return cli_fail("%s: %s", what, err.text);
	return decode(f, what);
}

int cli_from_bytes(struct cli_from *f, const char *what, uint64_t offset, uint32_t n)
{
	struct spmu_error err;

	if (whr_function_read(f->file, offset, n, &f->function, &err))
		return cli_fail("%s: %s", what, err.text);
	return decode(f, what);
}

void cli_from_close(struct cli_from *f)
{
	asm_code_free(&f->code);
	whr_function_free(&f->function);
}

/* Say which loops there are. */
static int ask_for_loop(const struct cli_from *f, const char *value, const struct asm_piece *loop,
			unsigned n)
{
	struct text list = {0};
	int code;

	for (unsigned i = 0; i < n; i++)
		text_printf(
		    &list, "%s+%x (%zu %s)", i ? ", " : "", f->code.insn[loop[i].first].at,
		    loop[i].last - loop[i].first + 1,
		    text_noun(loop[i].last - loop[i].first + 1, "instruction", "instructions"));
	code = f->has_at ? cli_fail("--from %s: none of its innermost loops has that byte; they "
				    "begin at %s",
				    value, text_get(&list))
			 : cli_fail("--from %s: it has %u innermost loops; choose one by where it "
				    "begins: %s",
				    value, n, text_get(&list));
	text_free(&list);
	return code;
}

static int choose(struct cli_from *f, const char *value)
{
	struct asm_piece loop[ASM_MOST_LOOPS];
	const unsigned n = asm_code_loops(&f->code, loop);

	if (!n && !f->has_at) {
		f->piece = asm_code_whole(&f->code);
		return 0;
	}
	if (!n)
		return cli_fail("--from %s: the function has no loop", value);
	for (unsigned i = 0; i < n; i++)
		if (f->has_at ? f->at >= f->code.insn[loop[i].first].at &&
				    f->at <= f->code.insn[loop[i].last].at
			      : n == 1) {
			f->piece = loop[i];
			return 0;
		}
	return ask_for_loop(f, value, loop, n);
}

int cli_from_choose(struct cli_from *f, const char *value)
{
	struct nm *names = nm_open();
	char what[256];
	int code = names ? split(f, value) : cli_fail("out of memory");

	snprintf(what, sizeof(what), "--from %.200s", value);
	if (!code)
		code = cli_from_open(f, what, names);
	if (!code)
		code = choose(f, value);
	nm_close(names);
	return code;
}
