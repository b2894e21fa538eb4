/* kallsyms.h -- names of a kernel's code, from a file.
 *
 * LAYOUT   a line of /proc/kallsyms or of System.map: an address, a letter and a name; behind a tab
 * the module. T, t, W and w are code, which ends where the next name of any kind begins. Other
 *          lines are passed over, so that a console's text will do. Of vmlinux, an ELF file, the
 *          symbol table: what stands in sections of code is code.
 */
#ifndef SOFTPMU_CLI_KALLSYMS_H
#define SOFTPMU_CLI_KALLSYMS_H

#include "session/files/jit_names.h"

/* Read the names of the file at `path`. Returns 0, or CLI_FAILED after a message, also where the
 * file has none. ses_jit_free() in any case. */
int cli_kallsyms_read(const char *path, struct ses_jit_names *out);
int cli_vmlinux_read(const char *path, struct ses_jit_names *out);

#endif
