/* kind.h -- what a file is that is not what was asked for, in words, by how it begins. */
#ifndef SOFTPMU_RECORD_KIND_H
#define SOFTPMU_RECORD_KIND_H

#include <stddef.h>
#include <stdint.h>

/* ": it is a trace, which softpmu replay reads", of a file that begins with these n bytes, all of
 * it when n is below 512. "" when nothing is known. Static. */
const char *rec_kind(const uint8_t *bytes, size_t n);

/* As rec_kind(), of a file. */
const char *rec_kind_of_file(const char *path);

#endif
