/* from.h -- softpmu asm --from FILE:FUNC[+AT]: which piece of compiled code is timed. */
#ifndef SOFTPMU_CLI_FROM_H
#define SOFTPMU_CLI_FROM_H

#include "asm/compiled.h"
#include "where/function.h"

/* A function that was opened. All 0: none. */
struct cli_from {
	char file[4096], name[1024];
	uint32_t at; /* of +AT */
	bool has_at;
	struct whr_function_code function; /* owned */
	struct asm_code code;		   /* owned */
	struct asm_piece piece;
};

/* Open the function `name` of `file` and decode it. Returns 0 or an exit code after a message that
 * begins with `what`. cli_from_close() in every case. */
int cli_from_open(struct cli_from *f, const char *what, struct nm *names);
/* As cli_from_open(), of n bytes at an offset of the file. */
int cli_from_bytes(struct cli_from *f, const char *what, uint64_t offset, uint32_t n);
void cli_from_close(struct cli_from *f);

/* Read the option's value, open it, and choose the piece. Returns as above. */
int cli_from_choose(struct cli_from *f, const char *value);

#endif
