/* objects.h -- finds the file at an address of the program, by its mappings (TRC_MAP and its like).
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

/* Take an event of the stream with its payload[0..bytes): mappings change the list, others are
 * ignored. Returns 0 or -SPMU_ENOMEM. */
int ses_objects_event(struct ses_objects *o, uint32_t kind, const uint8_t *payload, size_t bytes);

/* Returns the object and offset at pc. */
struct rec_place ses_objects_at(const struct ses_objects *o, uint64_t pc);

#endif
