/* board.h -- options that say what is around the processor, and the P5's figures, as typed. */
#ifndef SOFTPMU_CLI_BOARD_H
#define SOFTPMU_CLI_BOARD_H

#include "session/session.h"

/* --set NAME=VALUE[,...]: figures of catalog/p5/params.tsv. Returns 1, or -1 after a message. */
int cli_params(const char *text, struct mdl_config *out);

/* --board l2=3-1-1-1,mem=6-2-2-2,write=3-1-1-1,row=3,size=256: bus clocks of second-level cache,
 * memory and buffered writes, what another row of memory adds, KB of the cache. Returns as
 * cli_params(). */
int cli_board(const char *text, struct mdl_config *out);

/* --uncached, --defer FROM-TO or FROM+BYTES; may be repeated. Returns as cli_params(). */
int cli_uncached(const char *text, struct mdl_config *out);
int cli_defer(const char *text, struct mdl_config *out);

/* --breakpoint I:ADDRESS[:x|w|rw[:BYTES]]. Returns as cli_params(). */
int cli_breakpoint(const char *text, struct mdl_config *out);

/* --wrong-path off|decode|loads. Returns as cli_params(). */
int cli_wrong_path(const char *text, struct mdl_config *out);

/* The setting, NULL for the default. */
const char *cli_wrong_path_name(const struct mdl_config *model);

/* Check that the chosen processor has what was asked for. Returns 0, or -1 after a message. */
int cli_board_fits(const struct mdl_config *model);

#endif
