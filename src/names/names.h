/* names.h -- which function and which source line lie at an offset of a file: ELF symbols and
 * DWARF, by libdw.
 *
 * libdw and libstdc++ (for names of C++) are loaded when the first name is asked for. Without libdw
 * there are no names, without libstdc++ they are as the linker has them; nm_trouble() says so.
 *
 * RULE            the function is the symbol whose range has the address, of .symtab or else
 *                 .dynsym, here or in a separate file (.gnu_debuglink, /usr/lib/debug/.build-id);
 *                 else a stub of the PLT, "name@plt"; else what .eh_frame_hdr says is a function,
 *                 "libx.so+0x1234", by the address where it begins. The line is the line table's,
 *                 of the innermost inlined function.
 * NOT MODELLED    code that is in no file; debuginfod, which is never asked.
 */
#ifndef SOFTPMU_NAMES_NAMES_H
#define SOFTPMU_NAMES_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct nm;

/* Texts are valid until nm_close(). */
struct nm_at {
	const char *function; /* NULL: no symbol is known */
	const char *symbol;   /* the same without nm_show_inlined() */
	const char *file;     /* NULL: no line is known */
	unsigned line;
	uint64_t begin;	  /* of symbol: its offset */
	uint64_t address; /* as objdump shows it; the offset where no segment has it */
};

/* What identifies the contents of a file. */
struct nm_identity {
	char build_id[80]; /* in hexadecimal, "" = it has none */
	uint64_t bytes;	   /* its size, 0 = it is not there */
};

/* NULL without memory. */
struct nm *nm_open(void);
void nm_close(struct nm *n);

/* Where source files are that were built elsewhere. nm_prefix: text is "OLD=NEW", and paths that
 * begin with OLD begin with NEW; returns false when it is not, or there are too many.
 * nm_source_dir: files are looked for below this directory, by the longest end of their paths. Both
 * texts are borrowed; call them before nm_find(). */
bool nm_prefix(struct nm *n, const char *text);
void nm_source_dir(struct nm *n, const char *directory);

/* From now on a function is the innermost one that is inlined there, as "f (inlined)". Costs some
 * 10 us for each address: the tree of debug information is walked. */
void nm_show_inlined(struct nm *n);

/* From now on a line of a system's file (/usr/include) is the nearest one of another file that it
 * was inlined from, if there is one. own: a directory that is none of the system's, borrowed; NULL:
 * lines are the innermost ones again. */
void nm_show_sites(struct nm *n, const char *own);

/* Is it a file of the system's, and not of a program's own? own: as above; "": there is no such
 * directory. */
bool nm_is_of_system(const char *file, const char *own);

struct nm_identity nm_identify(struct nm *n, const char *path);

/* Names of `path` are not asked for: it is another file than the one that was executed. */
void nm_distrust(struct nm *n, const char *path);

/* What lies at `offset` of the file; lines only where wants_line. Cost: the first question about a
 * file reads its symbols (ms), and about its lines its line tables (up to some 100 ms for libc's);
 * then about a microsecond. */
struct nm_at nm_find(struct nm *n, const char *path, uint64_t offset, bool wants_line);

/* Call take(ctx, ...) with each name of a function of the file and the offset where it begins:
 * plain as people write it, and as the linker has it. Without functions that only choose another
 * one (of type IFUNC). Cost: its symbols are read and demangled. */
void nm_functions(struct nm *n, const char *path,
		  void (*take)(void *ctx, const char *plain, const char *linker, uint64_t offset),
		  void *ctx);

/* Has the file, with its separate debug file if there is one, no names of its own functions? */
bool nm_is_stripped(struct nm *n, const char *path);

/* Why names are missing that could be there, a sentence; or NULL. */
const char *nm_trouble(const struct nm *n);

#endif
