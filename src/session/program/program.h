/* program.h -- finds the file that is run: PATH, scripts, ELF facts, ISA level.
 *
 * MODELLED         what execvp(3) and the kernel do: PATH search, "#!" lines up to five deep
 *                  with one argument; what ld.so does to find libraries, as far as their ISA
 *                  level matters: RPATH, LD_LIBRARY_PATH, RUNPATH, its default directories,
 *                  $ORIGIN.
 * NOT MODELLED     for the ISA level, /etc/ld.so.cache and hwcaps folders; libraries opened
 *                  later by dlopen; execvp's running of text files by /bin/sh.
 */
#ifndef SOFTPMU_SESSION_PROGRAM_H
#define SOFTPMU_SESSION_PROGRAM_H

#include "session/program/elf_file.h"
#include "trace/share.h"

#define SES_PROGRAM_PREFIX 12

struct ses_program {
	char path[ELF_PATH_BYTES];  /* ELF file to load: the program, or a script's interpreter */
	char found[ELF_PATH_BYTES]; /* the file that was named; differs from path for scripts */
	char *prefix[SES_PROGRAM_PREFIX]; /* scripts: what replaces argv[0]; owned */
	size_t n_prefix;
	uint16_t elf_type; /* ET_EXEC or ET_DYN */
	bool is_32;	   /* an i386 program */
	/* shr_shift() of its segments; 0 if softpmu chooses their addresses */
	uint64_t shift;
	char interpreter[ELF_PATH_BYTES]; /* of the ELF file, "" when it is static */
	/* 1..4: what program, interpreter and libraries themselves ask for; 64-bit programs */
	int isa_level;
	bool has_papi; /* PAPI is one of the libraries; 64-bit programs */
};

/* Find program `name`: a path when it holds a slash, else searched in path_env (NULL:
 * /bin:/usr/bin). Returns 0; -SPMU_ENOENT (exit 127): not there; -SPMU_EEXEC (exit 126): a
 * directory, not executable, empty, cut off, no ELF, another machine; -SPMU_ENOMEM.
 * ses_program_free() in every case. */
int ses_find_program(const char *name, const char *path_env, struct ses_program *out,
		     struct spmu_error *err);

/* Raise p->isa_level, and set p->has_papi, by the libraries found with this LD_LIBRARY_PATH (NULL:
 * none). Done once by ses_find_program with NULL. Cost: opens each library. */
void ses_program_libraries(struct ses_program *p, const char *library_path);

/* Final argument vector for the user's argv (argv[0] = name as typed), NULL terminated. argv0
 * (borrowed, or NULL) stands in place of the name; of a script it does not reach the interpreter,
 * as with execve(). Strings are borrowed from p and argv; *out is freed by the caller with
 * free(). Returns 0, or -SPMU_ENOMEM. */
int ses_program_argv(const struct ses_program *p, char *const argv[], const char *argv0,
		     char ***out, struct spmu_error *err);

void ses_program_free(struct ses_program *p);

#endif
