/* frames.h -- return addresses on the stacks of a process, by the slot that holds each.
 *
 * A CALL writes a slot. A frame stays until another CALL writes there, so that who left a stack and
 * comes back to it (a coroutine, a thread, a handler on a stack of its own) finds its frames. Frames
 * are linked from the callee's to the caller's.
 *
 * LIMITS  SES_MOST_FRAMES; when there are so many all are forgotten.
 */
#ifndef SOFTPMU_SESSION_FRAMES_H
#define SOFTPMU_SESSION_FRAMES_H

#include <stdint.h>

#define SES_MOST_FRAMES (1u << 20)

struct ses_frame {
	uint64_t slot;	  /* address of the return address; of a signal: 0 */
	uint64_t back;	  /* the return address; of a signal: not used */
	uint32_t up;	  /* the caller's frame; 0: it has none */
	uint32_t context; /* the caller's */
	uint32_t last;	  /* of a signal: the block before it, and what was awaited of it */
	uint8_t awaited;
};

struct ses_frames {
	struct ses_frame *at; /* owned; number 0 is none */
	uint32_t n, room;
	uint32_t *index; /* by hash of the slot: a frame, or 0; owned */
	uint32_t n_index;
	uint32_t clears; /* times that all were forgotten */
};

/* Returns 0 or -SPMU_ENOMEM; ses_frames_close() may be called in any case. */
int ses_frames_open(struct ses_frames *f);
void ses_frames_close(struct ses_frames *f);
void ses_frames_clear(struct ses_frames *f);

/* The frame whose return address is in `slot`, or 0. */
uint32_t ses_frames_find(const struct ses_frames *f, uint64_t slot);

/* Put a frame in the place of the one of its slot; of slot 0: a new one. f->at may move. Returns
 * its number. When there was no room all others are gone: .up is 0 then. */
uint32_t ses_frames_put(struct ses_frames *f, struct ses_frame frame);

#endif
