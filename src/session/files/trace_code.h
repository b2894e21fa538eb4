/* trace_code.h -- records of a trace as what could not be guessed of them.
 *
 * CODE     Reader and writer make the same guesses from the records before. The next block is
 *          guessed by the three before it. A value of a slot is guessed from its last one and its
 *          last step, or from the value before it in the stream (fields of one structure, words of
 *          one stack frame), by whichever guessed right the last time. A frame says how many
 *          records in a row were guessed whole, and of the others what was wrong.
 * LAYOUT   Four streams behind a head: u32 length of each, u32 bytes of the records; little endian:
 *            control   a number, in bytes of 7 bits: how many records in a row were guessed. Then,
 *                      for the record that was not, a byte that says whether its block was guessed,
 *                      and a byte for each slot: 0 (guessed), which guess was right, or that none
 *                      was. This repeats to the end of the frame.
 *            heads     u32 heads of blocks that were not guessed
 *            values    of slots that no guess knows: what it differs by from the last one
 *            rest      all other records, as they are
 *          Guesses go on from frame to frame of a process, and its children begin with a copy of
 *          them.
 * TRUST    The reader takes any bytes: what it writes is bounded by the caller's room, and what it
 *          allocates by a million slots.
 */
#ifndef SOFTPMU_SESSION_TRACE_CODE_H
#define SOFTPMU_SESSION_TRACE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What both sides know. */
struct ses_guess;

/* NULL without memory. The caller frees it (ses_guess_free; NULL is allowed). */
struct ses_guess *ses_guess_new(void);
void ses_guess_free(struct ses_guess *g);

/* Forget all guesses: block ids begin anew. */
void ses_guess_reset(struct ses_guess *g);

/* Bytes of the code of n bytes of records, at most; and the room that ses_code_put() needs. */
#define SES_CODE_MOST(n) (2 * (size_t)(n) + 64)
#define SES_CODE_ROOM(n) (5 * (size_t)(n) + 64)

/* Code n bytes of whole records into out, which has SES_CODE_ROOM(n) bytes. Returns the bytes of
 * the code, or 0: without memory, or these are no whole records. */
size_t ses_code_put(struct ses_guess *g, const uint8_t *records, size_t n, uint8_t *out);

/* Where the reading of a frame is. */
struct ses_code_in {
	struct ses_guess *g;
	const uint8_t *control, *head, *value, *rest;		      /* next bytes */
	const uint8_t *control_end, *head_end, *value_end, *rest_end; /* ... and ends */
	uint64_t n_guessed; /* records to come that were guessed */
	uint64_t left;	    /* bytes of records to come */
	bool is_odd;	    /* after these comes a record that was not guessed */
};

/* Begin with the code of a frame, of n bytes. More than `most` bytes of records are refused.
 * Returns 0 or -SPMU_EPROTO. */
int ses_code_open(struct ses_code_in *in, struct ses_guess *g, const uint8_t *code, size_t n,
		  size_t most);

/* Bytes of a record, at most. */
#define SES_CODE_MOST_RECORD (1u << 16)

/* Write the next whole records, at most `room` bytes (SES_CODE_MOST_RECORD or more), to out.
 * Returns the bytes, 0 behind the last, or -SPMU_EPROTO or -SPMU_ENOMEM. */
long ses_code_get(struct ses_code_in *in, uint8_t *out, size_t room);

#endif
