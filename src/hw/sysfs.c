/* sysfs.c -- reads a PMU's folder: event names and the bits that each term fills. Rules are in
 * sysfs.h.
 *
 * An event of the PMU may be a list of terms itself, so reading is recursive, to a fixed depth.
 */
#include "hw/sysfs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 2 /* terms, and those of an event among them */

struct sysfs_pmu {
	const char *root, *name;
	struct hw_event *e;
	struct spmu_error *err;
};

/* First line of a file of the PMU, without its newline. Returns 0, or -1 when it cannot be read. */
static int read_line(const struct sysfs_pmu *p, const char *folder, const char *file, char *out,
		     size_t room)
{
	char path[512];
	FILE *f;
	int rc = -1;

	if (snprintf(path, sizeof(path), "%s/%s/%s%s", p->root, p->name, folder, file) >=
	    (int)sizeof(path))
		return -1;
	f = fopen(path, "re");
	if (f && fgets(out, (int)room, f)) {
		out[strcspn(out, "\n")] = 0;
		rc = 0;
	}
	if (f)
		fclose(f);
	return rc;
}

/* The word of the attribute that a format or a term names; *rest behind the name. */
static uint64_t *config_of(struct hw_event *e, const char *text, const char **rest)
{
	static const char name[] = "config";
	const size_t n = sizeof(name) - 1;

	if (strncmp(text, name, n) != 0)
		return NULL;
	*rest = text + n;
	if (**rest != '1' && **rest != '2')
		return &e->config;
	return *(*rest)++ == '1' ? &e->config1 : &e->config2;
}

/* Put value into the bits of "config:0-7,32-35", lowest first. Returns 0; -1 for a format that
 * makes no sense; 1 when the value has more bits than there is room for. */
static int put_bits(struct hw_event *e, const char *format, uint64_t value)
{
	const char *at;
	uint64_t *word = config_of(e, format, &at);

	if (!word || *at != ':')
		return -1;
	do {
		char *end;
		unsigned long low = strtoul(at + 1, &end, 10), high = low, n;

		if (end == at + 1)
			return -1;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (low > high || high > 63)
			return -1;
		n = high - low + 1;
		*word |= (n == 64 ? value : value & ((UINT64_C(1) << n) - 1)) << low;
		value = n == 64 ? 0 : value >> n;
		at = end;
	} while (*at == ',');
	return *at ? -1 : value != 0;
}

static int put_terms(const struct sysfs_pmu *p, char *terms, int depth);

/* A term without a value: an event of the PMU, or a flag. */
static int put_word(const struct sysfs_pmu *p, const char *name, int depth)
{
	char line[256];

	if (depth < MOST_DEPTH && !read_line(p, "events/", name, line, sizeof(line)))
		return put_terms(p, line, depth + 1);
	if (!read_line(p, "format/", name, line, sizeof(line)) && !put_bits(p->e, line, 1))
		return 0;
	return spmu_fail(p->err, SPMU_EINVAL,
			 "event %s: %s is neither an event nor a term of %s (see %s/%s)",
			 p->e->name, name, p->name, p->root, p->name);
}

static int put_value(const struct sysfs_pmu *p, const char *name, const char *text)
{
	const char *rest;
	uint64_t *word = config_of(p->e, name, &rest), value;
	char line[256], *end;
	int rc;

	if (!strcmp(name, "name"))
		return 0; /* a label */
	value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end)
		return spmu_fail(p->err, SPMU_EINVAL, "event %s: %s=%s: a number is wanted",
				 p->e->name, name, text);
	if (word && !*rest) {
		*word |= value;
		return 0;
	}
	rc = read_line(p, "format/", name, line, sizeof(line)) ? -1 : put_bits(p->e, line, value);
	if (rc > 0)
		return spmu_fail(p->err, SPMU_EINVAL, "event %s: %s=%s does not fit into %s",
				 p->e->name, name, text, line);
	if (rc < 0)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "event %s: %s is no term of %s (see %s/%s/format)", p->e->name,
				 name, p->name, p->root, p->name);
	return 0;
}

static int put_terms(const struct sysfs_pmu *p, char *terms, int depth)
{
	for (char *next; terms; terms = next) {
		char *value;
		int rc;

		next = strchr(terms, ',');
		if (next)
			*next++ = 0;
		if (strchr(terms, '/') || !*terms)
			return spmu_fail(p->err, SPMU_EINVAL,
					 "event %s: a term is missing between its commas",
					 p->e->name);
		value = strchr(terms, '=');
		if (value)
			*value++ = 0;
		rc = value ? put_value(p, terms, value) : put_word(p, terms, depth);
		if (rc)
			return rc;
	}
	return 0;
}

int hw_sysfs_event(const char *root, const char *pmu, char *terms, struct hw_event *e,
		   struct spmu_error *err)
{
	const struct sysfs_pmu p = {root, pmu, e, err};
	char line[32];

	if (!*pmu || strchr(pmu, '/') || *pmu == '.' ||
	    read_line(&p, "", "type", line, sizeof(line)))
		return -SPMU_ENOENT;
	e->type = (uint32_t)strtoul(line, NULL, 10);
	return put_terms(&p, terms, 1);
}
