/* files.h -- rabbit -output: a file for each pair with a line for each of its samples, for
 * gnuplot. */
#ifndef SOFTPMU_RABBIT_FILES_H
#define SOFTPMU_RABBIT_FILES_H

#include "rabbit/samples.h"

struct rbt_files;

/* Make the files in `dir`, which is made or must be empty. mhz: of the seconds; rate: samples per
 * second, 0 = one for the run; flush: rounds of all pairs, 0 = never.
 * Returns 0; -SPMU_EINVAL, -SPMU_ESYS with a sentence; -SPMU_ENOMEM. */
int rbt_files_open(const char *dir, const struct rbt_pairs *pairs, uint32_t mhz, double rate,
		   uint64_t flush, struct rbt_files **out, struct spmu_error *err);

/* Write sample `s` of pair number `pair`. What cannot be written is told by rbt_files_close(). */
void rbt_files_write(struct rbt_files *f, size_t pair, const struct rbt_sample *s);

/* A round of all pairs is over. */
void rbt_files_round(struct rbt_files *f);

/* Returns 0, or -SPMU_ESYS with a sentence when not everything could be written. f may
 * be NULL. */
int rbt_files_close(struct rbt_files *f, struct spmu_error *err);

#endif
