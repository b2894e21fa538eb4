/* libraries.c -- walks the libraries of a program breadth first, in the loader's order of
 * directories. Rules: libraries.h. Each file is looked at once, so loops end. */
#include "session/program/libraries.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/program/elf_file.h"

#define MOST_LIBRARIES 1024
#define HIGHEST_LEVEL  4 /* x86-64-v4 */

/* Directories that the loader searches by itself (ld.so(8), as Debian builds it). */
#define OWN_DIRS                                                                                   \
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64"                        \
	":/lib:/usr/lib"
#define OWN_DIRS_32 "/lib/i386-linux-gnu:/usr/lib/i386-linux-gnu:/lib32:/usr/lib32:/lib:/usr/lib"

/* Those, and the ones that Debian's ld.so.conf adds. */
static const char default_dirs[] = OWN_DIRS ":/usr/local/lib/x86_64-linux-gnu:/usr/local/lib";

static const char *own_dirs(bool is_32)
{
	return is_32 ? OWN_DIRS_32 : OWN_DIRS;
}

/* Files seen so far; those from `next` on still have to be looked at. */
struct walk {
	char *path[MOST_LIBRARIES]; /* owned */
	char *name[MOST_LIBRARIES]; /* as a file asks for it; owned, NULL for the first ones */
	size_t n, next;
	const char *library_path;
	int level;
	/* ses_libraries_list() */
	const struct ld_list *host; /* NULL: the ISA level is looked for */
	struct ld_list *out;
	bool is_32, has_failed;
	bool has_papi; /* PAPI is one of them */
	char *rpath;   /* of the program itself; owned */
};

static void add_library(struct walk *w, const char *path, const char *name)
{
	if (w->n == MOST_LIBRARIES)
		return;
	w->path[w->n] = strdup(path);
	w->name[w->n] = name ? strdup(name) : NULL;
	w->n++;
}

static bool is_known(const struct walk *w, const char *name)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->name[i] && !strcmp(w->name[i], name))
			return true;
	return false;
}

/* dir/name with $ORIGIN (of the file `of`) filled in. */
static bool is_there(char out[ELF_PATH_BYTES], const char *dir, size_t n, const char *name,
		     const char *of)
{
	const char *slash = strrchr(of, '/');
	int origin = slash ? (int)(slash - of) : 1, used;
	size_t skip = 0;

	if (n >= 7 && !strncmp(dir, "$ORIGIN", 7))
		skip = 7;
	else if (n >= 9 && !strncmp(dir, "${ORIGIN}", 9))
		skip = 9;
	if (skip)
		used = snprintf(out, ELF_PATH_BYTES, "%.*s%.*s/%s", origin, slash ? of : ".",
				(int)(n - skip), dir + skip, name);
	else
		used = snprintf(out, ELF_PATH_BYTES, "%.*s%s%s", (int)n, dir, n ? "/" : "", name);
	return used > 0 && used < ELF_PATH_BYTES && !access(out, R_OK);
}

static bool is_found(char out[ELF_PATH_BYTES], const char *dirs, const char *name, const char *of)
{
	while (dirs && *dirs) {
		size_t n = strcspn(dirs, ":;");

		if (is_there(out, dirs, n, name, of))
			return true;
		dirs += n + (dirs[n] != 0);
	}
	return false;
}

/* Where the list has it, or one of the loader's own directories. */
static void need_listed(struct walk *w, const char *name, const char *of)
{
	const struct ld_entry *e = ld_list_find(w->host, name, w->is_32);
	char path[ELF_PATH_BYTES];

	if (e)
		snprintf(path, sizeof(path), "%s", e->path);
	else if (!is_found(path, own_dirs(w->is_32), name, of))
		return;
	w->has_failed |= ld_list_add(w->out, name, path, w->is_32) != 0;
	add_library(w, path, name);
}

static void need(struct walk *w, const struct elf_file *elf, const char *of, const char *name)
{
	char path[ELF_PATH_BYTES];

	if (is_known(w, name))
		return;
	w->has_papi |= !strncmp(name, "libpapi.so.", 11);
	if (strchr(name, '/'))
		add_library(w, name, name);
	else if ((!elf->runpath && is_found(path, elf->rpath, name, of)) ||
		 (!elf->runpath && w->n && is_found(path, w->rpath, name, w->path[0])) ||
		 is_found(path, w->library_path, name, of) ||
		 is_found(path, elf->runpath, name, of))
		add_library(w, path, name);
	else if (w->host)
		need_listed(w, name, of);
	else if (is_found(path, default_dirs, name, of))
		add_library(w, path, name);
}

/* LD_PRELOAD: names between blanks or colons. */
static void need_preloaded(struct walk *w, const char *names)
{
	const struct elf_file none = {0};
	char *list = strdup(names), *rest = NULL;

	for (char *s = list ? strtok_r(list, " :", &rest) : NULL; s;
	     s = strtok_r(NULL, " :", &rest))
		need(w, &none, "/", s);
	free(list);
}

static void look_at(struct walk *w, const char *path)
{
	struct elf_source src = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	struct elf_file elf;
	struct stat st;

	if (src.fd < 0)
		return;
	if (!fstat(src.fd, &st) && S_ISREG(st.st_mode)) {
		src.size = (uint64_t)st.st_size;
		if (!elf_file_read(&src, path, &elf, NULL)) {
			if (w->next == 1 && elf.rpath && !elf.runpath)
				w->rpath = strdup(elf.rpath);
			w->level = elf.isa_level > w->level ? elf.isa_level : w->level;
			if (elf.interpreter[0])
				add_library(w, elf.interpreter, NULL);
			for (const char *s = elf.needed; s && *s; s += strlen(s) + 1)
				need(w, &elf, path, s);
		}
		elf_file_free(&elf);
	}
	close(src.fd);
}

static void free_walk(struct walk *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->path[i]);
		free(w->name[i]);
	}
	free(w->rpath);
	free(w);
}

/* Look at the files of the walk until all are seen, or one asks for ISA level `most`. */
static void look_at_all(struct walk *w, int most)
{
	while (w->next < w->n && w->level < most) {
		const char *at = w->path[w->next++];

		if (at)
			look_at(w, at);
	}
}

int ses_libraries_level(const char *path, const char *library_path, bool *has_papi)
{
	struct walk *w = calloc(1, sizeof(*w));
	int level;

	*has_papi = false;
	if (!w)
		return 1;
	w->library_path = library_path;
	w->level = 1;
	add_library(w, path, NULL);
	look_at_all(w, HIGHEST_LEVEL);
	level = w->level;
	*has_papi = w->has_papi;
	free_walk(w);
	return level;
}

bool ses_libraries_is_own_dir(const char *path, bool is_32)
{
	const char *slash = strrchr(path, '/');

	for (const char *dir = own_dirs(is_32); slash; dir++) {
		const size_t n = strcspn(dir, ":");

		if (n == (size_t)(slash - path) && !memcmp(dir, path, n))
			return true;
		dir += n;
		if (!*dir)
			break;
	}
	return false;
}

int ses_libraries_list(const char *path, bool is_32, const char *library_path, const char *preload,
		       const struct ld_list *host, struct ld_list *out)
{
	struct walk *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return -SPMU_ENOMEM;
	w->library_path = library_path;
	w->host = host;
	w->out = out;
	w->is_32 = is_32;
	add_library(w, path, NULL);
	if (preload)
		need_preloaded(w, preload);
	look_at_all(w, HIGHEST_LEVEL + 1);
	rc = w->has_failed ? -SPMU_ENOMEM : 0;
	free_walk(w);
	return rc;
}
