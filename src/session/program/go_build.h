/* go_build.h -- the ISA level that Go's build information asks for (GOAMD64=v1 to v4).
 *
 * Go programs have no ELF property note. Their build information is text in the section
 * .go.buildinfo; in a file without section headers it is at the beginning of its data.
 *
 * MODELLED         the form of Go 1.18 and later; older Go knows no levels.
 * TRUST            as in elf_file.h: every byte is hostile.
 * SOURCES          Go, package debug/buildinfo (the form), cmd/go "GOAMD64" (the setting).
 */
#ifndef SOFTPMU_SESSION_GO_BUILD_H
#define SOFTPMU_SESSION_GO_BUILD_H

#include <elf.h>

#include "session/program/elf_file.h"

/* Returns the level 1..4 of the file at src; 1 if it names none or is not a Go program. h and
 * ph: its headers, ph with h->e_phnum entries. Cost: two reads of a few KiB for a file that is
 * not Go's. */
int go_build_level(const struct elf_source *src, const Elf64_Ehdr *h, const Elf64_Phdr *ph);

#endif
