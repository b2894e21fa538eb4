#include "session/libraries.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/elf_file.h"

#define MOST_LIBRARIES 1024

static const char default_dirs[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:"
	"/usr/lib64:/lib:/usr/lib:/usr/local/lib/x86_64-linux-gnu:/usr/local/lib";

/* Files seen so far; those from `next` on still have to be looked at. */
struct walk {
	char *path[MOST_LIBRARIES]; /* owned */
	char *name[MOST_LIBRARIES]; /* as needed; owned, NULL for the first ones */
	size_t n, next;
	const char *library_path;
	int level;
};

static void add(struct walk *w, const char *path, const char *name)
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

static void need(struct walk *w, const struct elf_file *elf, const char *of, const char *name)
{
	char path[ELF_PATH_BYTES];

	if (is_known(w, name))
		return;
	if (strchr(name, '/'))
		add(w, name, name);
	else if ((!elf->runpath && is_found(path, elf->rpath, name, of)) ||
	         is_found(path, w->library_path, name, of) ||
	         is_found(path, elf->runpath, name, of) || is_found(path, default_dirs, name, of))
		add(w, path, name);
}

static void look_at(struct walk *w, const char *path)
{
	struct elf_source src = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };
	struct elf_file elf;
	struct stat st;

	if (src.fd < 0)
		return;
	if (!fstat(src.fd, &st) && S_ISREG(st.st_mode)) {
		src.size = (uint64_t)st.st_size;
		if (!elf_file_read(&src, path, &elf, NULL)) {
			w->level = elf.isa_level > w->level ? elf.isa_level : w->level;
			if (elf.interpreter[0])
				add(w, elf.interpreter, NULL);
			for (const char *s = elf.needed; s && *s; s += strlen(s) + 1)
				need(w, &elf, path, s);
		}
		elf_file_free(&elf);
	}
	close(src.fd);
}

int ses_libraries_level(const char *path, const char *library_path)
{
	struct walk *w = calloc(1, sizeof(*w));
	int level;

	if (!w)
		return 1;
	w->library_path = library_path;
	w->level = 1;
	add(w, path, NULL);
	while (w->next < w->n && w->level < 4) {
		const char *at = w->path[w->next++];

		if (at)
			look_at(w, at);
	}
	level = w->level;
	for (size_t i = 0; i < w->n; i++) {
		free(w->path[i]);
		free(w->name[i]);
	}
	free(w);
	return level;
}
