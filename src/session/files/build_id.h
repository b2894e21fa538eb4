/* build_id.h -- the build-id of an ELF file: what its linker says of its contents.
 *
 * TRUST    every byte is hostile: nothing is read outside the file, and work is bounded.
 * SOURCES  System V gABI "Note Section"; ld(1), --build-id.
 */
#ifndef SOFTPMU_SESSION_BUILD_ID_H
#define SOFTPMU_SESSION_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* Write the build-id of an open file of `size` bytes in hexadecimal to out[room]; "" where it has
 * none. */
void ses_build_id(int fd, uint64_t size, char *out, size_t room);

#endif
