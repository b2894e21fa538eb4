/* attr.h -- struct perf_event_attr as a program hands it over: read and checked.
 *
 * MODELLED       every published size of the struct (0 stands for the first), reserved fields,
 *                sample and read formats, and the combinations that a kernel refuses; error
 *                numbers are the kernel's.
 * NOT MODELLED   fields that newer kernels than 6.1 know: a struct that uses them is too big.
 * SOURCES        perf_event_open(2), linux/perf_event.h.
 */
#ifndef SOFTPMU_PERFEV_ATTR_H
#define SOFTPMU_PERFEV_ATTR_H

#include <linux/perf_event.h>
#include <stdint.h>

#define PEV_ATTR_BYTES	 128u /* sizeof(struct perf_event_attr) of the kernel that is presented */
#define PEV_MOST_RATE	 100000u /* perf_event_max_sample_rate */
#define PEV_MOST_CALLERS 127u	 /* perf_event_max_stack as a kernel starts */

/* The PERF_FLAG_* bits of perf_event_open(2). */
#define PEV_FLAGS_ALL 15u

/* Read `n` bytes of a program's struct into *out, which is whole then; n is what its size field
 * says (0 for none). Returns 0, -E2BIG (the caller writes PEV_ATTR_BYTES into the program's size
 * field), -EINVAL. n <= 4096. */
int pev_attr_read(const uint8_t *bytes, uint32_t n, struct perf_event_attr *out);

/* Check what the system call checks before it looks for a PMU. may_kernel: the caller may count the
 * kernel. Returns 0, -EINVAL or -EACCES. */
int pev_attr_check(const struct perf_event_attr *a, int may_kernel);

/* Check what the system call checks once it has found a PMU: AUX areas, the clock of times, the
 * depth of callers. is_interrupted: the PMU's overflows are interrupts that cannot be masked, so
 * that not every clock can be read there. Returns 0, -EOPNOTSUPP, -EINVAL, -EOVERFLOW. */
int pev_attr_check_late(const struct perf_event_attr *a, int is_interrupted);

#endif
