/* pfm.h -- names of present-day processors, by libpfm4 when the machine has it.
 *
 * The library is opened while the program runs (libpfm.so.4), so nobody needs it who does not ask
 * for such a name; where its headers were missing when softpmu was built, there are no such names
 * (decision 019). libpfm4 has state of its own that all of a process share: one thread at a time
 * here.
 */
#ifndef SOFTPMU_HW_PFM_H
#define SOFTPMU_HW_PFM_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/spelling.h"

struct hw_pfm;

/* Open and initialise the library. NULL: it is not there, or does not know this processor. */
struct hw_pfm *hw_pfm_open(void);
void hw_pfm_close(struct hw_pfm *p);

/* Encode `text` (libpfm4's syntax, privilege levels and all) into attr: type, config, config1,
 * config2, exclude_user, exclude_kernel; user mode when the text names no level. Returns 0, or -1
 * with *why one of libpfm4's phrases (constant). */
int hw_pfm_encode(const struct hw_pfm *p, const char *text, struct perf_event_attr *attr,
		  const char **why);

/* Offer the names of all events of this processor to a search for the nearest. */
void hw_pfm_offer(const struct hw_pfm *p, struct spelling_search *s);

#endif
