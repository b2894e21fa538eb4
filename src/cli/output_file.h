/* output_file.h -- the file of -o: its name, and that one softpmu alone writes it.
 *
 * NAME     %p is this process's number, %h the host's name, %q{VAR} the variable VAR of the
 *          environment, %% a percent sign. In names that each process of the program has a file
 *          of (a trace), %p stays for the session to replace.
 * WRITERS  a regular file is locked while it is written. With is_once it is written as FILE.part,
 *          and gets its name when it is whole, if no file has that name by then. Who is killed
 *          leaves FILE.part without a lock, which the next one takes over.
 * RANKS    where several ranks of an MPI program or tasks of srun would write one name, that is
 *          refused before anything runs.
 */
#ifndef SOFTPMU_CLI_OUTPUT_FILE_H
#define SOFTPMU_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct cli_output {
	char *path, *part; /* owned; part NULL without is_once */
	FILE *file;
};

/* Returns the name that pattern stands for, the caller's; NULL after a message. has_own_p: %p
 * stays. The message begins with "-o PATTERN". */
char *cli_output_name(const char *pattern, bool has_own_p);

/* Refuse a name without a mark that tells ranks apart, where there are several. Returns 0 or an
 * exit code after a message. */
int cli_output_refuse_ranks(const char *pattern, bool has_own_p);

/* Open what pattern names. *o begins with all zero. Returns the file, or NULL after a message. */
FILE *cli_output_open(struct cli_output *o, const char *pattern, bool is_append, bool is_once);

/* Close it, and with is_once give it its name if is_whole. is_said: the reason why it is not whole
 * has been printed already. Returns 0, or an exit code after a message. */
int cli_output_close(struct cli_output *o, bool is_whole, bool is_said);

#endif
