/* journal.c -- writes one line per system call, or compares with the lines of the file that is
 * there. Rules: journal.h. A file that exists is only read, so a comparison never changes it. */
#include "session/files/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/call_names.h"
#include "session/serve/family.h"
#include "trace/record.h"

#define HEAD_LINE  "softpmu journal 1\n"
#define LINE_BYTES 128

struct ses_journal {
	FILE *file;
	bool is_compared; /* the file is read, not written */
	bool has_failed;
	uint32_t thread;	      /* whose calls follow */
	uint64_t n;		      /* calls so far */
	struct ses_journal_end first; /* state DIFFERS: the first difference */
};

/* ---- open ------------------------------------------------------------------------------------ */

int ses_journal_open(const char *path, struct ses_journal **out, struct spmu_error *err)
{
	struct ses_journal *j = calloc(1, sizeof(*j));
	char line[LINE_BYTES];

	if (!j)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	*out = j;
	j->file = fopen(path, "re");
	j->is_compared = j->file != NULL;
	if (!j->file && errno == ENOENT)
		j->file = fopen(path, "wxe");
	if (!j->file)
		return spmu_fail(err, SPMU_ESYS, "cannot use '%s' as journal: %s", path,
				 strerror(errno));
	if (!j->is_compared)
		fputs(HEAD_LINE, j->file);
	else if (!fgets(line, sizeof(line), j->file) || strcmp(line, HEAD_LINE) != 0)
		return spmu_fail(err, SPMU_EPROTO,
				 "'%s' exists and is no journal of softpmu; name a file that does "
				 "not exist to have one "
				 "written",
				 path);
	return 0;
}

void ses_journal_close(struct ses_journal *j)
{
	if (!j)
		return;
	if (j->file)
		fclose(j->file);
	free(j);
}

/* ---- a line per call ------------------------------------------------------------------------- */

static const char *call_name(uint32_t like)
{
	static const char *const name[] = {CALL_NAMES};
	const size_t n = sizeof(name) / sizeof(name[0]);

	return like < n && name[like] ? name[like] : NULL;
}

static void print_call(const struct ses_journal *j, const uint32_t *call, char line[LINE_BYTES])
{
	const char *name = call_name(call[1]);
	char number[24];
	uint64_t word[2];

	memcpy(word, call + 2, sizeof(word));
	snprintf(number, sizeof(number), "%s%" PRIu32,
		 call[1] == TRC_NO_CALL ? "i386-call-" : "call-", call[0]);
	snprintf(line, LINE_BYTES, "%" PRIu32 " %s = %" PRId64 " %016" PRIx64 "\n", j->thread,
		 name ? name : number, (int64_t)word[0], word[1]);
}

struct call {
	uint32_t thread;
	char name[48];
	int64_t result;
	uint64_t digest;
};

static bool read_call(const char *line, struct call *c)
{
	return sscanf(line, "%" SCNu32 " %47s = %" SCNd64 " %" SCNx64, &c->thread, c->name,
		      &c->result, &c->digest) == 4;
}

/* The result counts as far as the digest takes it in: numbers of processes may differ. */
static bool are_same(const char *was, const char *is)
{
	struct call a, b;

	return read_call(was, &a) && read_call(is, &b) && a.thread == b.thread &&
	       a.digest == b.digest && strcmp(a.name, b.name) == 0;
}

/* "read = 512 (thread 0, digest 0123...)" for the user; a line that is none of ours is shown as
 * it is. */
static void say_line(const char *line, char *out, size_t room)
{
	struct call c;

	if (!line)
		snprintf(out, room, "no call");
	else if (read_call(line, &c))
		snprintf(out, room, "%s = %" PRId64 " (thread %" PRIu32 ", digest %016" PRIx64 ")",
			 c.name, c.result, c.thread, c.digest);
	else
		snprintf(out, room, "%.*s", (int)strcspn(line, "\n"), line);
}

static void differ(struct ses_journal *j, const char *was, const char *is)
{
	j->first.state = SES_JOURNAL_DIFFERS;
	j->first.n = j->n;
	say_line(was, j->first.was, sizeof(j->first.was));
	say_line(is, j->first.is, sizeof(j->first.is));
}

static void take_call(struct ses_journal *j, const uint32_t *call)
{
	char line[LINE_BYTES], old[LINE_BYTES];
	const char *was;

	j->n++;
	if (j->first.state == SES_JOURNAL_DIFFERS)
		return;
	print_call(j, call, line);
	if (!j->is_compared) {
		j->has_failed |= fputs(line, j->file) == EOF;
		return;
	}
	was = fgets(old, sizeof(old), j->file);
	if (!was || !are_same(was, line))
		differ(j, was, line);
}

int ses_journal_feed(struct ses_journal *j, const uint8_t *p, size_t n)
{
	uint64_t bytes;

	while ((bytes = trc_record_bytes(p, n)) != 0) {
		uint32_t word[8];

		memcpy(word, p, bytes < sizeof(word) ? bytes : sizeof(word));
		if (word[0] == TRC_SPECIAL + TRC_SYSCALL && bytes == sizeof(word))
			take_call(j, word + 2);
		else if (word[0] == TRC_SPECIAL + TRC_THREAD && bytes >= 12)
			j->thread = word[2];
		p += bytes;
		n -= bytes;
	}
	return j->has_failed ? -SPMU_ESYS : 0;
}

int ses_journal_end(struct ses_journal *j, struct ses_journal_end *out)
{
	char old[LINE_BYTES];

	if (j->first.state != SES_JOURNAL_DIFFERS) {
		if (!j->is_compared) {
			j->has_failed |= fflush(j->file) != 0;
			j->first.state = SES_JOURNAL_WRITTEN;
			j->first.n = j->n;
		} else if (fgets(old, sizeof(old), j->file)) {
			j->n++;
			differ(j, old, NULL);
		} else {
			j->first.state = SES_JOURNAL_SAME;
			j->first.n = j->n;
		}
	}
	j->first.n_process = 1;
	*out = j->first;
	return j->has_failed ? -SPMU_ESYS : 0;
}

void ses_journal_merge(struct ses_journal_end *all, const struct ses_journal_end *one)
{
	const uint64_t n_process = all->n_process + one->n_process;
	struct ses_journal_end sum = *all;

	if (one->state == SES_JOURNAL_NONE)
		return;
	if (all->state == SES_JOURNAL_NONE)
		sum = *one;
	else if (all->state == SES_JOURNAL_DIFFERS || one->state == SES_JOURNAL_DIFFERS)
		sum = one->state != SES_JOURNAL_DIFFERS ||
			      (all->state == SES_JOURNAL_DIFFERS &&
			       ses_compare_births(all->birth, one->birth) < 0)
			  ? *all
			  : *one;
	else if (all->state == one->state)
		sum.n += one->n;
	else if (one->state == SES_JOURNAL_WRITTEN)
		sum = *one;
	sum.n_process = n_process;
	*all = sum;
}
