/* file.h -- a record file: what every event counted at every instruction of a run.
 *
 * LAYOUT   little endian. 8 bytes of magic; then sections, each: name (8 bytes, NUL padded), u16
 *          version, u8 codec (0 stored, 1 zstd), u8 zero, u32 CRC-32C of the stored bytes, u64 raw
 *          length, u64 stored length; the stored bytes. In this order:
 *   meta     JSON: the command, the processor, settings, events with their totals
 *   process  rec_process_put(), one for each, by order of birth
 *   paths    rec_paths_put(), behind its process, where calling contexts were kept
 *   replicas rec_process_put() of replicates for events, with the same places, behind its process,
 *            where clocks were estimated (struct mdl_posting)
 *   objects  JSON: files that were executed, with what identifies their contents
 *   jit      JSON: names of code that lies in no file (jit.h), when there are any
 *   times    JSON: all that differs between two runs that count the same
 *   end      u32: sections before this one
 * TRUST    files come from strangers. No length is believed before it was compared with what is
 *          there and with the limits below; memory is 16 times the raw lengths at most, which are
 *          MOST_RAW together, and 8 bytes for each of REC_MOST_COUNTS counts.
 */
#ifndef SOFTPMU_RECORD_FILE_H
#define SOFTPMU_RECORD_FILE_H

#include <jansson.h>

#include "base/error.h"
#include "record/paths.h"
#include "record/process.h"

#define REC_DEFAULT    "softpmu.rec"
#define REC_REPLICATES 8u /* as of the model: more or fewer are another version */

/* ---- writing --------------------------------------------------------------------------------- */

/* A file that is put together. All 0 is empty. */
struct rec_out {
	struct rec_bytes bytes;
	uint32_t n_section;
};

void rec_out_section(struct rec_out *o, const char *name, const uint8_t *bytes, size_t n);
void rec_out_json(struct rec_out *o, const char *name, json_t *value); /* takes the reference */

/* Put the sections of `from` behind those of o. */
void rec_out_append(struct rec_out *o, const struct rec_out *from);

/* Put the end behind it: its bytes are a record (rec_parse()). */
void rec_out_end(struct rec_out *o);

/* Do so, write it under another name beside `path`, and rename. A file that was
 * there is replaced or, on an error, left as it was. Returns 0, -SPMU_ESYS or -SPMU_ENOMEM with a
 * sentence. */
int rec_out_save(struct rec_out *o, const char *path, struct spmu_error *err);
void rec_out_free(struct rec_out *o);

/* ---- reading --------------------------------------------------------------------------------- */

struct rec_event {
	const char *name;   /* borrowed of meta */
	const char *status; /* "" counted; else why it has no number: "not modelled" */
	uint64_t total;
	uint64_t half;	     /* total is an estimate: half of its interval at 95 %; 0: exact */
	bool has_replicates; /* they tell how far rows may be off */
};

struct rec {
	json_t *meta, *objects, *times; /* objects; owned */
	json_t *jit_names;		/* or NULL; owned */
	struct rec_jits *jit;		/* by process, or NULL (record/jit.h); owned */
	struct rec_event *event;	/* n_event; owned */
	uint32_t n_event;
	struct rec_process *process; /* n_process; owned */
	uint32_t n_process;
	struct rec_paths *paths;      /* of each process; n_context 0: none were kept; owned */
	struct rec_process *replicas; /* of each process; n_event 0: it has none; owned */
};

/* Read the file at `path`. *out is the caller's (rec_close()) when it returns 0; else -SPMU_ENOENT,
 * -SPMU_ESYS, -SPMU_EINVAL (no record, a damaged one, one of a newer softpmu) or -SPMU_ENOMEM, with
 * a sentence. */
int rec_open(const char *path, struct rec **out, struct spmu_error *err);
/* As rec_open(), from n bytes; path: for the sentence. */
int rec_parse(const uint8_t *bytes, size_t n, const char *path, struct rec **out,
	      struct spmu_error *err);
void rec_close(struct rec *r);

/* Forget all processes but the one with this birth, or all but this thread of one: "1.2", "1.2:3".
 * Totals become theirs. Returns how many processes and threads are left; 0: nothing has changed. */
uint32_t rec_select(struct rec *r, const char *birth);

/* Put the events of r in the order of `as`, if both have the same ones; else r stays as it is.
 * Returns 0 or -SPMU_ENOMEM. */
int rec_order_as(struct rec *r, const struct rec *as);

/* Does the record tell threads apart? Each stands in place of a process, with a birth "1.2:3". */
bool rec_has_threads(const struct rec *r);

/* Returns true when the text has no control characters, which could end a line of a report. */
bool rec_is_plain(const char *text);

/* Text `key` of an object, or "". */
const char *rec_text(const json_t *object, const char *key);

#endif
