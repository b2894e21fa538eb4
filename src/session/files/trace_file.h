/* trace_file.h -- the record streams of a run in one file, from which models count again.
 *
 * LAYOUT   A trace is a file of Zstandard's, a row of frames.
 *          A frame is a skippable frame of Zstandard's, which holds struct trc_frame and for some
 *          kinds a text of JSON, and for other kinds a compressed frame with a checksum behind it:
 *            TRC_FRAME_HEAD     compressed: struct trc_file_head; text: what the recording fixes
 *            TRC_FRAME_RECORDS  compressed: the code (trace_code.h) of whole records of one process
 *                               (trace/record.h), with each block's bytes before its first use
 *            TRC_FRAME_END      text: what is known at the end of the run
 *            TRC_FRAME_OBJECT   text: a file that was executed, and what identifies it
 *                               (trace_objects.h)
 *            TRC_FRAME_NAMES    compressed: whole lines of names of JIT code of one process
 *                               (jit_names.h), at its end
 *          The frames of one process stand in order; those of several processes are mixed. A frame
 *          is written by one call at the end of the file, so that servers of several processes
 *          append to one file, and a run that is killed leaves whole frames but the last.
 * TRUST    Readers treat every byte as hostile: sizes are checked before use and are bounded.
 */
#ifndef SOFTPMU_SESSION_TRACE_FILE_H
#define SOFTPMU_SESSION_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "session/files/trace_objects.h"
#include "trace/record.h"
#include "trace/request.h"
#include "x86/block.h"

/* ---- writing --------------------------------------------------------------------------------- */

struct ses_trace;

/* Create the file. store: where the blocks of the run are; borrowed. flags: enum trc_file_flag.
 * process: the birth of the process whose records come first. text: JSON, what the recording
 * fixes. *out is owned by the caller. Returns 0; -SPMU_ESYS with a sentence; -SPMU_ENOMEM. */
int ses_trace_create(const char *path, const struct x86_store *store, uint32_t flags,
		     uint64_t process, const char *text, struct ses_trace **out,
		     struct spmu_error *err);

/* Append the blocks that are new, then whole records, at most 64 KiB. Returns 0 or -SPMU_ESYS. */
int ses_trace_write(struct ses_trace *t, const uint8_t *bytes, size_t n);

/* The store is about to be cleared: block ids start anew. Returns 0 or -SPMU_ESYS. */
int ses_trace_forget_all(struct ses_trace *t);

/* The run takes totals here, so it calls mdl_finish(). A replay calls mdl_finish() at this place,
 * too. Returns 0 or -SPMU_ESYS. */
int ses_trace_finish(struct ses_trace *t);

/* The server is about to fork for the process `child`. Everything is written, so that the copy
 * begins with nothing. Returns 0 or -SPMU_ESYS. */
int ses_trace_fork(struct ses_trace *t, uint64_t child);

/* Say something about a process of the run (TRC_MEMBER). Returns 0 or -SPMU_ESYS. */
int ses_trace_member(struct ses_trace *t, const struct trc_member *m, const char *birth,
		     const char *program);

/* A thread of the program did `what` to the region of that name (TRC_REGION). Returns 0 or
 * -SPMU_ESYS. */
int ses_trace_region(struct ses_trace *t, enum req_region what, uint32_t thread, const char *name);

/* The program maps the file of that name to execute it. Returns 0 or -SPMU_ESYS. */
int ses_trace_object(struct ses_trace *t, const char *path);

/* The process ends, and its JIT compiler wrote these lines, n bytes of them. Returns 0 or
 * -SPMU_ESYS. */
int ses_trace_names(struct ses_trace *t, const char *lines, size_t n);

/* In the new server: records are those of the process `child` from here on. */
void ses_trace_born(struct ses_trace *t, uint64_t child);

/* Write what is held back. Returns 0 or -SPMU_ESYS. */
int ses_trace_flush(struct ses_trace *t);

/* The run has ended, and all processes have written their records. text: JSON. Returns 0 or
 * -SPMU_ESYS. */
int ses_trace_end(struct ses_trace *t, const char *text);

/* Flush and close; NULL is allowed. Returns 0, or -SPMU_ESYS when something was not written. */
int ses_trace_close(struct ses_trace *t);

/* ---- reading --------------------------------------------------------------------------------- */

/* A frame of records. */
struct ses_trace_frame {
	uint64_t process, at; /* birth; where the compressed frame begins in the file */
	/* bytes of the code of its records (trace_code.h), and bytes that this takes in the file */
	uint32_t raw, packed;
	uint32_t number; /* of its process in the file, below n_process */
};

struct ses_trace_in {
	int fd;
	uint32_t flags;	  /* enum trc_file_flag */
	char *head, *end; /* texts, NUL terminated; end NULL: the recording did not end */
	struct ses_trace_frame *frame; /* by process; those of one process in their order */
	size_t n_frame, n_process;
	struct ses_trace_frame *names; /* of TRC_FRAME_NAMES; in their order; owned */
	size_t n_names;
	uint64_t names_bytes; /* of all of them */
	struct ses_trace_objects objects;
	uint64_t first;	  /* birth of the process whose records come first: the program */
	uint64_t bytes;	  /* of the file */
	uint64_t raw;	  /* bytes of the code of all records, decompressed */
	bool is_cut;	  /* the file ends inside a frame */
	bool is_damaged;  /* ... or at bytes that are no frame */
	bool has_members; /* it names its processes (TRC_MEMBER) */
	bool has_marks;	  /* it has the marks of regions (TRC_REGION) */
};

/* Look through a file. *t is filled in either case; the caller calls ses_trace_shut(). Returns 0;
 * -SPMU_ESYS, -SPMU_ENOENT (cannot be read), -SPMU_EPROTO (no trace, or of another version),
 * -SPMU_ENOMEM, with a sentence. Cost: a look at each frame's head. */
int ses_trace_look(const char *path, struct ses_trace_in *t, struct spmu_error *err);
void ses_trace_shut(struct ses_trace_in *t);

/* Returns the frames of a process, borrowed, and their number in *n: 0 when it has none. */
const struct ses_trace_frame *ses_trace_frames(const struct ses_trace_in *t, uint64_t process,
					       size_t *n);

/* The lines of names of a process, and their bytes in *n; owned by the caller. NULL: it has none,
 * they are damaged, or memory is missing. */
char *ses_trace_in_names(const struct ses_trace_in *t, uint64_t process, size_t *n);

/* Decompress the code of frame f into out, which has room for SES_CODE_MOST(SES_TRACE_FRAME_BYTES).
 * Returns 0 or -SPMU_EPROTO. */
int ses_trace_unpack(const struct ses_trace_in *t, const struct ses_trace_frame *f, uint8_t *out);

/* Bytes of a frame of records, at most. */
#define SES_TRACE_FRAME_BYTES (4u << 20)

#endif
