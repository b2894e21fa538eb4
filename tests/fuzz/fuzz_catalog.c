/* fuzz_catalog.c -- the reader of the catalog on any bytes: it may complain, never crash or write
 * anything but C that was checked.
 *
 * The first byte chooses the file of a small good catalog (tests/catalog/good) that the rest
 * replaces. Runs from the top of the tree.
 */
// FUZZ_WITH tools/gencat_*.c
#include "../../tools/gencat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const target[] = {
    "sources.tsv",	     "processors.tsv", "aliases.tsv",
    "generics.tsv",	     "metrics.tsv",    "relations.tsv",
    "p6/uops.tsv",	     "p6/nearest.tsv", "toy/wires.tsv",
    "toy/events.tsv",	     "toy/umasks.tsv", "toy/rules.tsv",
    "toy/discrepancies.tsv", "toy/notes.md",   "toy/groups/default.txt",
};
enum { N_TARGET = sizeof target / sizeof target[0] };

static char folder[64];

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	if (system(command) != 0)
		fprintf(stderr, "%s stays\n", folder);
}

/* A copy of the good catalog to spoil. */
static void make_folder(void)
{
	char command[160];

	snprintf(folder, sizeof folder, "%s/softpmu-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(folder))
		abort();
	snprintf(command, sizeof command, "cp -r tests/catalog/good/. %s", folder);
	if (system(command) != 0)
		abort();
	atexit(remove_folder);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static struct catalog c;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char path[128], good[128];

	if (!folder[0])
		make_folder();
	if (!n)
		return 0;
	const char *name = target[bytes[0] % N_TARGET];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	write_file(path, bytes + 1, n - 1);
	memset(&c, 0, sizeof c);
	c.root = folder;
	c.is_quiet = true;
	gen_read_tables(&c);
	if (!c.n_complaint)
		gen_build(&c);
	if (!c.n_complaint)
		gen_check(&c);
	if (!c.n_complaint && (!gen_emit_wires(&c, folder) || !gen_emit_tables(&c, folder)))
		abort(); /* what was checked can be written */
	snprintf(good, sizeof good, "tests/catalog/good/%s", name);
	char *text = gen_read_file(good);
	if (!text)
		abort();
	write_file(path, text, strlen(text));
	gen_free_all();
	return 0;
}
