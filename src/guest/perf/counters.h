/* counters.h -- the program reads performance counters.
 *
 * A question about counters is exact because the runtime shows its records with it (gst_ring_with):
 * softpmu knows of every instruction up to the asking one, and of none behind it.
 */
#ifndef SOFTPMU_GUEST_COUNTERS_H
#define SOFTPMU_GUEST_COUNTERS_H

#include <stdint.h>

struct gst;

enum gst_rdpmc { GST_RDPMC_DONE, GST_RDPMC_PROTECTED /* #GP */, GST_RDPMC_UNKNOWN /* #UD */ };

/* RDPMC, all of `block`, of counter `ecx`: *value receives 40 bits. When it must fault, nothing
 * was asked or handed over. Cost: a few microseconds. */
enum gst_rdpmc gst_rdpmc(struct gst *g, uint32_t block, uint32_t ecx, uint64_t *value);

#endif
