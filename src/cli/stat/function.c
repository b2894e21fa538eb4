/* function.c -- finds functions by name in the files of a run. Rules: function.h. */
#include "cli/stat/function.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/function_name.h"

/* The number behind the last colon, which is not one of two; 0: there is none. */
static uint64_t number_of(const char *text, size_t *name_bytes)
{
	const char *colon = strrchr(text, ':');
	char *end;
	uint64_t n;

	*name_bytes = strlen(text);
	if (!colon || colon == text || colon[-1] == ':' || !isdigit((unsigned char)colon[1]))
		return 0;
	n = strtoull(colon + 1, &end, 10);
	if (*end || !n)
		return 0;
	*name_bytes = (size_t)(colon - text);
	return n;
}

/* What is being searched. */
struct search {
	struct cli_function *f;
	struct cli_function_file *file;
};

static bool is_called_so(const char *plain, const char *linker, const char *name)
{
	const size_t n = strlen(name);

	if (function_name_is(plain, name))
		return true;
	return !strncmp(linker, name, n) &&
	       (!linker[n] || (linker[n] == '@' && strcmp(linker + n, "@plt") != 0));
}

static void take(void *ctx, const char *plain, const char *linker, uint64_t offset)
{
	struct search *s = ctx;
	uint64_t *more;

	whr_near_offer(&s->f->near, plain, s->file->path);
	if (!is_called_so(plain, linker, s->f->name))
		return;
	more = realloc(s->file->begins, (s->file->n + 1) * sizeof(*more));
	if (!more)
		return;
	s->file->begins = more;
	more[s->file->n++] = offset;
}

/* Reads the names of a file that is new. NULL without memory. */
static struct cli_function_file *add_file(struct cli_function *f, const char *path)
{
	struct cli_function_file *more = realloc(f->file, (f->n_file + 1) * sizeof(*more));
	struct search s = {.f = f};

	if (!more)
		return NULL;
	f->file = more;
	s.file = &more[f->n_file];
	*s.file = (struct cli_function_file){.path = strdup(path)};
	if (!s.file->path)
		return NULL;
	f->last = f->n_file++;
	nm_functions(f->names, path, take, &s);
	if (s.file->n && !*f->found)
		snprintf(f->found, sizeof(f->found), "%s", path);
	f->is_stripped |= f->last == 0 && nm_is_stripped(f->names, path);
	return s.file;
}

static bool begins(void *ctx, const char *path, uint64_t offset)
{
	struct cli_function *f = ctx;
	const struct cli_function_file *file = f->n_file ? &f->file[f->last] : NULL;

	for (size_t i = 0; i < f->n_file && strcmp(file->path, path); i++)
		file = &f->file[f->last = i];
	if (!file || strcmp(file->path, path) != 0)
		file = add_file(f, path);
	for (size_t i = 0; file && i < file->n; i++)
		if (file->begins[i] == offset)
			return true;
	return false;
}

int cli_function_open(struct cli_function *f, const char *text)
{
	size_t n;

	f->of.call = number_of(text, &n);
	memcpy(f->name, text, n);
	f->name[n] = 0;
	f->of.begins = begins;
	f->of.ctx = f;
	whr_near_open(&f->near, f->name);
	f->names = nm_open();
	return f->names ? 0 : -SPMU_ENOMEM;
}

void cli_function_close(struct cli_function *f)
{
	for (size_t i = 0; i < f->n_file; i++) {
		free(f->file[i].path);
		free(f->file[i].begins);
	}
	free(f->file);
	nm_close(f->names);
	*f = (struct cli_function){.names = NULL};
}

void cli_function_explain(const struct cli_function *f, uint64_t n_calls, char *text, size_t n)
{
	char ask[SPELLING_TEXT];

	if (*f->found && n_calls)
		snprintf(text, n, "%s was called %llu time%s", f->name, (unsigned long long)n_calls,
			 n_calls == 1 ? "" : "s");
	else if (*f->found)
		snprintf(text, n, "%s of %s was never called", f->name, f->found);
	else if (nm_trouble(f->names) && !f->n_file)
		snprintf(text, n, "%s", nm_trouble(f->names));
	else
		snprintf(text, n, "no file that was executed has a function %s%s%s", f->name,
			 f->is_stripped ? ", and the program is stripped" : "",
			 whr_near_ask(&f->near, ask));
}
