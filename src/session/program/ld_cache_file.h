/* ld_cache_file.h -- the file /etc/ld.so.cache: which library lies where, for the dynamic loader.
 *
 * TRUST          every byte is hostile: offsets and counts are checked, nothing outside the bytes
 *                is read.
 * MODELLED       the format "glibc-ld.so.cache1.1", also after the older one in one file;
 *                libraries of the C library 6 for x86-64 and i386.
 * NOT MODELLED   other kinds of libraries, and those in glibc-hwcaps folders: they are left out.
 * SOURCES        glibc, the manual page ldconfig(8); the layout as found in files of Debian 11 and
 *                12.
 */
#ifndef SOFTPMU_SESSION_LD_CACHE_FILE_H
#define SOFTPMU_SESSION_LD_CACHE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ld_entry {
	char *name, *path; /* "libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1"; owned by the list */
	bool is_32;
};

struct ld_list {
	struct ld_entry *entry; /* owned */
	size_t n, room;
};

/* Append the entries of the file's bytes. Damaged entries are left out. Returns 0 or
 * -SPMU_ENOMEM. */
int ld_list_read(struct ld_list *l, const uint8_t *bytes, size_t n);

/* Append one library. Returns 0 or -SPMU_ENOMEM. */
int ld_list_add(struct ld_list *l, const char *name, const char *path, bool is_32);

/* The first entry with this name and width, or NULL. */
const struct ld_entry *ld_list_find(const struct ld_list *l, const char *name, bool is_32);

/* Returns the list as the bytes of a cache file, in memory that the caller frees. Equal lists make
 * equal bytes. Sorts the list. Returns NULL without memory. */
uint8_t *ld_list_bytes(struct ld_list *l, size_t *n);

void ld_list_free(struct ld_list *l);

#endif
