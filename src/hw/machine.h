/* machine.h -- which processor runs this program, and whose event names it has.
 *
 * Asks CPUID, so inside `softpmu run` it is the modelled processor.
 *
 * SOURCES          Intel SDM vol. 2, CPUID (leaf 0 vendor, leaf 1 signature);
 *                  catalog/processors.tsv.
 */
#ifndef SOFTPMU_HW_MACHINE_H
#define SOFTPMU_HW_MACHINE_H

#include "base/error.h"
#include "catalog/catalog.h"

struct hw_pfm;

struct hw_machine {
	char name[64]; /* "pentium3", or "AuthenticAMD-25-1-1": vendor, family, model, stepping */
	const struct cat_cpu *cpu; /* of the catalog; NULL: a later processor */
	struct hw_pfm *pfm;	   /* libpfm4, opened when a name asks for it; owned */
	bool has_tried_pfm;
};

/* Fill m. hw_machine_close() when done. */
void hw_machine_open(struct hw_machine *m);
void hw_machine_close(struct hw_machine *m);

/* The processor of the catalog with this signature, the nearest stepping first; NULL when it has
 * none. */
const struct cat_cpu *hw_cpu_of(const char *vendor, unsigned family, unsigned model,
				unsigned stepping);

/* Has this machine hardware counters that we may use? Returns 0; -SPMU_ENOTSUP none at all;
 * -SPMU_ESYS not allowed; both with a sentence of why, without advice. */
int hw_has_counters(struct spmu_error *why);

#endif
