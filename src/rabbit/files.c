/* files.c -- writes rabbit's files of samples. Rules are in files.h.
 *
 * All files are made before the program runs, so that a wrong folder costs no run. The first error
 * of writing is kept and reported at the end.
 */
#include "rabbit/files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

/* The layout of rabbit's own files is lost but for this: lines have at most 80 characters. */
#define HEAD "# softpmu rabbit 1\n"

struct rbt_files {
	const char *dir;	       /* borrowed */
	const struct rbt_pairs *pairs; /* borrowed */
	FILE **file;		       /* owned; one per pair */
	uint32_t mhz;
	uint64_t flush, n_round;
	int trouble; /* errno of what could not be written */
};

/* A directory that can be filled. */
static int make_directory(const char *dir, struct spmu_error *err)
{
	struct dirent *entry;
	bool is_empty = true;
	DIR *d;

	if (!mkdir(dir, 0777))
		return 0;
	if (errno != EEXIST)
		return spmu_fail(err, SPMU_ESYS, "-output %s: %s; nothing was run", dir,
				 strerror(errno));
	d = opendir(dir);
	if (!d)
		return spmu_fail(err, SPMU_ESYS, "-output %s: %s; nothing was run", dir,
				 strerror(errno));
	while ((entry = readdir(d)) != NULL)
		is_empty &= !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(d);
	return is_empty ? 0
			: spmu_fail(
			      err, SPMU_EINVAL,
			      "-output %s: the directory is not empty; name a new one, or empty it",
			      dir);
}

/* "01_INST_RETIRED_UOPS_RETIRED.txt" */
static void name_file(const struct rbt_pairs *list, size_t i, struct text *out)
{
	text_printf(out, "%02zu", i + 1);
	for (int n = 0; n < 2; n++) {
		char name[sizeof(((struct evt_event *)0)->name)];
		const struct rbt_pair *p = &list->pair[i];

		if (!p->has[n])
			continue;
		snprintf(name, sizeof(name), "%s", rbt_pair_event(list, p, n)->name);
		for (char *c = name; *c; c++)
			if (!isalnum((unsigned char)*c) && *c != '-')
				*c = '_';
		text_printf(out, "_%s", name);
	}
	text_printf(out, ".txt");
}

static void write_head(const struct rbt_files *f, size_t i, double rate)
{
	const struct rbt_pair *p = &f->pairs->pair[i];
	FILE *out = f->file[i];

	fputs(HEAD, out);
	fprintf(out, "# %s, %u MHz, ", f->pairs->cpu->name, f->mhz);
	fprintf(out, rate > 0 ? "%g samples a second\n" : "one sample\n", rate);
	if (*p->label)
		fprintf(out, "# %s\n", p->label);
	for (int n = 0; n < 2; n++)
		if (p->has[n])
			fprintf(out, "# column %d: %s\n", 4 + (n && p->has[0]),
				rbt_pair_event(f->pairs, p, n)->name);
	fputs("# sample      seconds         cycles          event", out);
	fputs(p->has[0] && p->has[1] ? "          event\n" : "\n", out);
}

static int open_file(struct rbt_files *f, size_t i, double rate, struct spmu_error *err)
{
	struct text path = {0};
	int rc = 0;

	text_printf(&path, "%s/", f->dir);
	name_file(f->pairs, i, &path);
	f->file[i] = fopen(text_get(&path), "wxe");
	if (!f->file[i])
		rc = spmu_fail(err, SPMU_ESYS, "-output %s: %s: %s; nothing was run", f->dir,
			       text_get(&path), strerror(errno));
	else
		write_head(f, i, rate);
	text_free(&path);
	return rc;
}

int rbt_files_open(const char *dir, const struct rbt_pairs *pairs, uint32_t mhz, double rate,
		   uint64_t flush, struct rbt_files **out, struct spmu_error *err)
{
	struct rbt_files *f = calloc(1, sizeof(*f));
	int rc = make_directory(dir, err);

	*out = f;
	if (!f)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	*f = (struct rbt_files){.dir = dir, .pairs = pairs, .mhz = mhz, .flush = flush};
	f->file = calloc(pairs->n + 1, sizeof(FILE *));
	if (!f->file)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	for (size_t i = 0; i < pairs->n && !rc; i++)
		rc = open_file(f, i, rate, err);
	return rc;
}

void rbt_files_write(struct rbt_files *f, size_t pair, const struct rbt_sample *s)
{
	const struct rbt_pair *p = &f->pairs->pair[pair];
	FILE *out = f->file[pair];

	fprintf(out, "%8" PRIu64 " %12.6f %14" PRIu64, s->number + 1,
		(double)s->to_clk / f->mhz / 1e6, s->count[RBT_CLOCK].value);
	for (int n = 0; n < 2; n++) {
		const struct evt_count *c = p->has[n] ? &s->count[p->at[n]] : NULL;

		if (c && c->status == EVT_COUNTED)
			fprintf(out, " %14" PRIu64, c->value);
		else if (c)
			fprintf(out, " %14s", "NaN"); /* gnuplot leaves it out */
	}
	fputs(s->is_partial ? " # partial\n" : "\n", out);
}

static void note_trouble(struct rbt_files *f, bool has_failed)
{
	if (has_failed && !f->trouble)
		f->trouble = errno ? errno : EIO;
}

void rbt_files_round(struct rbt_files *f)
{
	if (!f->flush || ++f->n_round % f->flush)
		return;
	for (size_t i = 0; i < f->pairs->n; i++)
		note_trouble(f, fflush(f->file[i]) != 0);
}

int rbt_files_close(struct rbt_files *f, struct spmu_error *err)
{
	int rc = 0;

	for (size_t i = 0; f && f->file && i < f->pairs->n; i++)
		if (f->file[i]) {
			note_trouble(f, ferror(f->file[i]) != 0);
			note_trouble(f, fclose(f->file[i]) != 0);
		}
	if (f && f->trouble)
		rc = spmu_fail(err, SPMU_ESYS, "-output %s: %s; not every sample was written",
			       f->dir, strerror(f->trouble));
	if (f)
		free(f->file);
	free(f);
	return rc;
}
