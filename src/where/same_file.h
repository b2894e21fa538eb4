/* same_file.h -- which source of one build is which of another: builds lie in different
 * directories.
 *
 * RULE   Files have the same last part. Of several those pair first whose paths have the most last
 *        parts in common.
 */
#ifndef SOFTPMU_WHERE_SAME_FILE_H
#define SOFTPMU_WHERE_SAME_FILE_H

#include "where/follow.h"

/* Give the keys of the new rows among s[0..n), which change their order, files of the old build. */
void whr_follow_files(struct whr_single *s, size_t n);

#endif
