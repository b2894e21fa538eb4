/* nameless.c -- finds the files whose counts have no function name, and says what to install.
 *
 * The package that has the file comes from dpkg-query; without dpkg no package is named.
 */
#include "cli/where/nameless.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/where/tool.h"
#include "where/startup.h"

#define MOST_FILES    64u
#define MOST_SAID     2u
#define LEAST_PERCENT 1.0

/* A file and what its nameless code counted. */
struct nameless {
	const char *object;
	int64_t count;
};

/* Returns true for "[no symbol]" and names such as "libx.so+0x1234". */
static bool is_nameless(const struct whr_row *row)
{
	const char *slash = strrchr(row->object, '/'), *name = slash ? slash + 1 : row->object;
	const size_t n = strlen(name);

	return !strcmp(row->function, "[no symbol]") ||
	       (slash && !strncmp(row->function, name, n) && !strncmp(row->function + n, "+0x", 3));
}

/* Does the linker write this code, a stub of the PLT? No compiler knows lines of it. */
static bool is_stub(const struct whr_row *row)
{
	const size_t n = strlen(row->function);

	return !strcmp(row->function, "[plt]") || (n > 4 && !strcmp(row->function + n - 4, "@plt"));
}

/* Debian's package of debug information for a package. */
static const char *debug_package(const char *package, char *out, size_t room)
{
	snprintf(out, room, "%s%s", package, strcmp(package, "libc6") ? "-dbgsym" : "-dbg");
	return out;
}

/* The package that has the file, by dpkg; false: none has, or there is no dpkg. */
static bool find_package(const char *path, char *out, size_t room)
{
	char *argv[] = {"dpkg-query", "-S", (char *)(uintptr_t)path, NULL};
	size_t n;
	char *text = cli_tool_output(argv, &n);

	if (!text && !strncmp(path, "/usr/", 5)) { /* it was installed before /lib was /usr/lib */
		argv[2] += 4;
		text = cli_tool_output(argv, &n);
	}
	snprintf(out, room, "%.*s", text ? (int)strcspn(text, ":,\n ") : 0, text ? text : "");
	free(text);
	return *out != 0;
}

static void say_file(const struct nameless *f, double percent, struct nm *names)
{
	char package[128], debug[160];

	if (!strcmp(f->object, "[kernel]")) {
		fprintf(stderr,
			"softpmu: %.1f%% lies in the machine's kernel and has no names: softpmu "
			"record --kallsyms FILE gives them, from what cat /proc/kallsyms shows in "
			"the machine\n",
			percent);
		return;
	}
	if (*f->object != '/') {
		fprintf(stderr,
			"softpmu: %.1f%% lies in memory of no file, %s, and has no names: a JIT "
			"compiler's code has them when it writes /tmp/perf-PID.map (node "
			"--perf-basic-prof)\n",
			percent, f->object);
		return;
	}
	fprintf(stderr, "softpmu: %.1f%% lies in functions of %s without a name: ", percent,
		f->object);
	if (!nm_is_stripped(names, f->object))
		fprintf(stderr, "its symbols do not say what lies there\n");
	else if (find_package(f->object, package, sizeof(package)))
		fprintf(stderr,
			"it is stripped, and its debug information is not here; install %s\n",
			debug_package(package, debug, sizeof(debug)));
	else
		fprintf(stderr, "it is stripped; build it without -s, or keep its debug file\n");
}

static int by_count(const void *a, const void *b)
{
	const struct nameless *s = a, *t = b;

	return s->count > t->count ? -1 : s->count < t->count;
}

void cli_say_nameless(const struct whr_table *t, uint32_t event, struct nm *names)
{
	struct nameless file[MOST_FILES];
	unsigned n = 0;
	double total = 0;

	for (size_t i = 0; i < t->n; i++) {
		unsigned k = 0;

		total += (double)t->row[i].count[event];
		if (!is_nameless(&t->row[i]))
			continue;
		while (k < n && strcmp(file[k].object, t->row[i].object))
			k++;
		if (k == MOST_FILES)
			continue;
		if (k == n)
			file[n++] = (struct nameless){t->row[i].object, 0};
		file[k].count += t->row[i].count[event];
	}
	if (n)
		qsort(file, n, sizeof(*file), by_count);
	for (unsigned k = 0; k < n && k < MOST_SAID && total > 0; k++) {
		const double percent = 100 * (double)file[k].count / total;

		if (percent >= LEAST_PERCENT)
			say_file(&file[k], percent, names);
	}
}

void cli_say_lineless(const struct whr_table *t, uint32_t event)
{
	const char *object = NULL;
	int64_t total = 0, lineless = 0;

	for (size_t i = 0; i < t->n && t->by == WHR_LINE; i++) {
		const struct whr_row *r = &t->row[i];

		total += r->count[event];
		if (r->line || *r->object != '/' || nm_is_of_system(r->object, "") ||
		    is_nameless(r) || is_stub(r) || whr_is_startup(r->function, r->object))
			continue;
		object = object ? object : r->object;
		lineless += strcmp(object, r->object) ? 0 : r->count[event];
	}
	if (object && 100 * (double)lineless >= LEAST_PERCENT * (double)total)
		fprintf(stderr,
			"softpmu: %.1f%% lies in functions of %s without lines: compile it with "
			"-g\n",
			100 * (double)lineless / (double)total, object);
}
