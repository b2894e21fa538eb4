/* cpuid.h -- the processor that the program sees: CPUID table, XCR0, hwcap.
 *
 * MODELLED         vendor, family, model, stepping and cache descriptors of the modelled processor
 *                  with the feature bits of an x86-64 level. A 64-bit P6 was never built. The
 *                  answers of levels v1 to v4 depend on processor and level alone, except the
 *                  places of AVX-512 state in the XSAVE area, which are the host's.
 * NOT MODELLED     topology beyond one processor; hardware random numbers are not advertised.
 * SOURCES          Intel SDM vol. 2, CPUID; Intel AP-485; x86-64 psABI, micro-architecture levels.
 */
#ifndef SOFTPMU_SESSION_CPUID_H
#define SOFTPMU_SESSION_CPUID_H

#include <stdbool.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "trace/share.h"

/* Returns the highest x86-64 level (1..4) that this host and its operating system can execute. */
int ses_host_isa_level(void);

/* Returns the level that a 64-bit program is shown without --isa: `asked`, the level that it asks
 * for (1..4), but at least v2. */
int ses_default_isa(int asked);

/* Returns 0 if a host of level `host` can execute `isa_level` (1..4, 0 = host), else -SPMU_ENOTSUP
 * with a sentence. asked: the level that the program asks for, if isa_level is its default; 0 if
 * isa_level comes from --isa. */
int ses_check_isa(int isa_level, int asked, int host, struct spmu_error *err);

/* Returns true if the host has CLFLUSHOPT (Intel SDM vol. 2, CPUID leaf 7, EBX bit 23). */
bool ses_host_has_line_flush(void);

/* Fill cpuid[], n_cpuid, max_leaf, max_ext_leaf, xcr0, hwcap, hwcap2 and isa_level of start.
 * isa_level: 1..4, 0 for the host's own processor without what the engine hides, SHR_ISA_CPU for
 * the modelled processor as it was (32-bit programs). A leaf or subleaf that is not in the table
 * is all zero. */
void ses_fill_cpuid(const struct cat_cpu *cpu, int isa_level, struct shr_start *start);

/* Returns the bytes that an XSAVE of all state writes under the XCR0 shown at `isa_level` (as
 * above): 576, 832 or 2688. The layout is Intel's on every host. */
uint16_t ses_xsave_bytes(int isa_level);

#endif
