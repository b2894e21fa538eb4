/* frames.h -- return addresses on the stacks of a process, by the slot that holds each.
 *
 * A CALL writes a slot. A frame stays until another CALL writes there. So code that leaves a stack
 * and comes back to it (a coroutine, a thread, a handler on a stack of its own) finds its frames
 * again. Frames are linked from the callee's to the caller's.
 *
 * LIMITS   at most SES_MOST_FRAMES frames. When a new one has no room, all are forgotten.
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
	uint32_t last;	  /* of a signal: the block before it, and what was awaited after that */
	uint8_t awaited;
};

struct ses_frames {
	struct ses_frame *at; /* owned; number 0 is none */
	uint32_t n, room;
	uint32_t *index; /* by hash of the slot: a frame, or 0; owned */
	uint32_t n_index;
	uint32_t *last;	 /* by hash of the return address: the frame that was put last; owned */
	uint32_t clears; /* times that all were forgotten */
};

/* Returns 0 or -SPMU_ENOMEM; ses_frames_close() may be called in any case. */
int ses_frames_open(struct ses_frames *f);
void ses_frames_close(struct ses_frames *f);
void ses_frames_clear(struct ses_frames *f);

/* The frame with this return address that was put last. Returns 0 if there is none, or if a later
 * frame's return address has the same hash. */
uint32_t ses_frames_last(const struct ses_frames *f, uint64_t back);

/* The frame whose return address is in `slot`, or 0. */
uint32_t ses_frames_find(const struct ses_frames *f, uint64_t slot);

/* Put a frame in place of the frame with the same slot; a frame of slot 0 is always new. f->at may
 * move. Returns its number. If there was no room, all other frames are forgotten and the new
 * frame's .up is 0. */
uint32_t ses_frames_put(struct ses_frames *f, struct ses_frame frame);

#endif
