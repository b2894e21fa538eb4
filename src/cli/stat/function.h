/* function.h -- record --region FUNC[:N]: where functions of that name begin, and what is said when
 * none was counted.
 *
 * RULE   the name is as `report` shows it, with or without what stands in brackets at its end, or
 * as the linker has it. All functions of that name are meant, in whatever file.
 */
#ifndef SOFTPMU_CLI_FUNCTION_H
#define SOFTPMU_CLI_FUNCTION_H

#include "names/names.h"
#include "session/session.h"
#include "where/near.h"

#define CLI_FUNCTION_NAME 512u

/* A file that code was executed of. */
struct cli_function_file {
	char *path;
	uint64_t *begins; /* offsets where functions of that name begin */
	size_t n;
};

struct cli_function {
	char name[CLI_FUNCTION_NAME]; /* without the number of a call */
	struct ses_function of;
	struct nm *names;
	struct cli_function_file *file; /* owned */
	size_t n_file, last;
	struct whr_near near;	       /* the nearest name */
	char found[CLI_FUNCTION_NAME]; /* a file that has it */
	bool is_stripped;	       /* the first file has no names of its own functions */
};

/* text: FUNC[:N] of fewer than CLI_FUNCTION_NAME bytes; "a::2" has no number. f->of is for
 * ses_config.function. Returns 0 or -SPMU_ENOMEM; cli_function_close() may be called in any case.
 */
int cli_function_open(struct cli_function *f, const char *text);
void cli_function_close(struct cli_function *f);

/* After a run that counted nothing in it: why, as the end of a sentence, into text[n]. */
void cli_function_explain(const struct cli_function *f, uint64_t n_calls, char *text, size_t n);

#endif
