/* bare_places.c -- accounts by place of a machine. Rules: bare_places.h. */
#include "session/bare_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/model.h"
#include "trace/record.h"

#define KERNEL	"[kernel]"
#define BIRTH	"1"
#define PROGRAM "machine"
#define TOP	(UINT64_C(1) << 32) /* behind the last linear address */

/* Name the addresses [from, to); "": memory of no file. An offset is an address. */
static void map(struct ses_places *p, uint64_t from, uint64_t to, const char *name)
{
	struct {
		uint32_t head, bytes;
		uint64_t address, size;
		uint32_t prot, flags;
		uint64_t offset;
		char name[16];
	} record = {TRC_SPECIAL + TRC_MAP, sizeof(record) - 8, from, to - from, 0, 0, from, ""};

	memcpy(record.name, name, strlen(name));
	if (from < to)
		ses_places_feed(p, (const uint8_t *)&record, sizeof(record));
}

int ses_bare_places_open(struct ses_places **out, const struct ses_config *cfg, struct mdl *m,
			 const struct x86_store *store, const struct wires *w,
			 const struct ses_places_modes *modes, uint64_t kernel)
{
	const int rc = ses_places_open(out, cfg, m, store, w, modes);

	if (rc)
		return rc;
	map(*out, 0, kernel ? kernel : TOP, "");
	map(*out, kernel ? kernel : TOP, TOP, KERNEL);
	return 0;
}

void ses_bare_places_forget(struct ses_places *p, struct mdl *m)
{
	mdl_finish(m);
	ses_places_take(p);
	ses_places_forget(p);
}

int ses_bare_places_fill(struct ses_places *p, const uint64_t *total, struct ses_result *result)
{
	struct ses_placed *out = calloc(1, sizeof(*out));
	struct ses_places_at at;

	if (!out)
		return -SPMU_ENOMEM;
	ses_places_take(p);
	at = ses_places_end(p, BIRTH, PROGRAM, total);
	memcpy(out->birth, BIRTH, sizeof(BIRTH));
	out->bytes = at.bytes ? ses_places_read(p, at) : NULL;
	out->n = at.bytes;
	out->n_replicate = at.replicate_bytes;
	result->placed = out;
	result->n_placed = 1;
	return out->bytes && !ses_places_are_lost(p) ? 0 : -SPMU_ENOMEM;
}
