/* host_state.h -- what the host code of steps keeps; see host.h. Part of struct p5. */
#ifndef SOFTPMU_MODEL_P5_HOST_STATE_H
#define SOFTPMU_MODEL_P5_HOST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p5/units/btb.h"
#include "model/p5/kept/memo.h"
#include "x86/emit.h"

#define P5_HOST_BYTES	 (32u << 20)
#define P5_HOST_PROGRAMS (1u << 16) /* places in the table of programs */
#define P5_HOST_LOOKS	 128u	    /* of a program; longer steps stay with memo.c */
#define P5_HOST_MIN_USES 10u	    /* visits that make a step hot */
/* bytes of records until trees are looked at first; then twice as many each time */
#define P5_HOST_REPLANT (1u << 20)
/* a power of two: one in so many wrong guesses of the next step changes what is guessed */
#define P5_HOST_KEPT_GUESSES 4u
#define P5_HOST_OFTEN	     1000u /* uses from which it is worth it */

/* memo_step.own: visits while it is below this, then the code offset of the step's program. */
#define P5_HOST_FIRST_CODE 256u

/* What host code calls (host_help.c). */
enum p5_host_helper {
	P5_HOST_LOOK, /* do a look in full */
	P5_HOST_DATA, /* do a look at data whose address is known */
	P5_HOST_CODE, /* do a look at a code line */
	P5_HOST_SLOT, /* do a look at a slot: look it up in the BTB, and teach that */
	P5_HOST_N_ASKS,
	P5_HOST_TURN =
	    P5_HOST_N_ASKS, /* a look saw something else, for which there is no host code */
	P5_HOST_LIST,	    /* the first use of a step */
	P5_HOST_NEXT,	    /* which step comes next? */
	P5_HOST_N_HELPERS
};

/* The looks of steps of one block, with the same outcomes: they share their host code. */
struct p5_host_program {
	uint64_t hash, outcome; /* outcome: of the block, as the key of its first step */
	uint32_t step;		/* one that has these looks; 0: the place is free */
	uint32_t block, code;
	bool is_first; /* of the first step of a block */
};

struct p5_host {
	uint8_t *memory; /* P5_HOST_BYTES, writable and executable; NULL: there is none */
	struct x86_out out;
	uint32_t limit_off;	/* where the room for programs ends */
	uint32_t first_program; /* code offset: parts that all share lie before it */
	uint32_t enter, leave, next, ask[P5_HOST_N_ASKS], turn, turn_noted, noted, tail, read[2],
	    write[2], line, page, marks, note, prev_bit, entry, prev_entry, jcc_taken, jcc_falls,
	    jmp, call, ret; /* those parts; entry: 0, there is none */
	uint32_t min_uses;
	struct p5_host_program *program; /* open addressing */
	uint32_t n_program;
	bool is_full; /* a step wanted a program, and there was no room for it */
	/* between host code and helpers */
	const uint8_t *at; /* the record of the block that is being done, or the first not done */
	const uint8_t
	    *limit;    /* records from here on may lie too near to the end of the stream at hand */
	size_t behind; /* so many bytes may be read behind it */
	uint8_t *copy; /* of a short stream */
	struct memo_step *step; /* being done, or the next one */
	int rc;
	uint64_t helper[P5_HOST_N_HELPERS]; /* addresses, by enum p5_host_helper */
	uint64_t n_entered;		    /* runs of host code */
	uint64_t n_bytes, replant_at;	    /* records that it did; when trees are looked at */
	uint32_t n_wrong;		    /* guesses of the next step that were wrong */
};

#endif
