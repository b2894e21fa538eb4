/* objects.h -- which file lies at an address of the program, as its mappings say (TRC_MAP and so
 * on).
 *
 * NOT MODELLED   two files of one name in one process: they are one object.
 * TRUST          the program says what it maps: both lists are bounded.
 */
#ifndef SOFTPMU_SESSION_OBJECTS_H
#define SOFTPMU_SESSION_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include "record/process.h"

/* The first two objects. */
enum { SES_OBJECT_UNKNOWN, SES_OBJECT_ANON };

struct ses_mapping {
	uint64_t lo, hi;
	uint64_t off; /* of lo in the file; memory of no file: lo */
	uint32_t object;
};

struct ses_objects {
	char **name; /* owned */
	uint32_t n, room;
	struct ses_mapping *map; /* by address; owned */
	uint32_t n_map, room_map;
};

/* Returns 0 or -SPMU_ENOMEM; ses_objects_close() may be called in any case. */
int ses_objects_open(struct ses_objects *o);
void ses_objects_close(struct ses_objects *o);

/* A record that is no block's: payload[0..bytes). Returns 0 or -SPMU_ENOMEM. */
int ses_objects_event(struct ses_objects *o, uint32_t kind, const uint8_t *payload, size_t bytes);

/* What lies at pc. */
struct rec_place ses_objects_at(const struct ses_objects *o, uint64_t pc);

#endif
