/* reasons.h -- why a micro-op waited, and the lines of listings (reasons.c). */
#ifndef SOFTPMU_MODEL_P6_REASONS_H
#define SOFTPMU_MODEL_P6_REASONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/line.h"

struct p6;
struct p6_time;
struct p6_pend;
struct mdl_line_uop;

/* Why a micro-op waited (reasons.def). */
enum p6_why {
#define P6_WHY(id, name, text) P6_WHY_##id,
#include "model/p6/clocks/asked/reasons.def"
#undef P6_WHY
	P6_N_WHY
};

/* instructions decoded last: more than those whose micro-ops are being collected */
#define P6_DECODED 8u

/* What the decoders' clocks were for: of the instruction at hand, and of those decoded last. */
struct p6_decoding {
	uint64_t told_clk; /* clocks of the front end before that are told */
	uint8_t anew;	   /* enum p6_why: why decoding begins anew; 0: a taken branch */
	uint8_t n;	   /* the instruction at hand, modulo P6_DECODED */
	struct p6_decoded {
		uint8_t n;
		bool is_queue_full;
		struct mdl_stall stall[MDL_LINE_DECODE];
	} insn[P6_DECODED];
};

/* As mdl_reason(). */
bool p6_reason(unsigned why, const char **name, const char **sentence);

/* The group being renamed waits. */
void p6_line_stall(struct p6 *m, enum p6_why why, uint64_t clk);

/* The clocks of the front end since the last call were for `why`, of the instruction that is
 * being decoded. Only with on_line. */
void p6_line_decode(struct p6_time *t, enum p6_why why);

/* The instruction at hand is decoded. Returns its number, for struct p6_pend. */
uint8_t p6_line_decoded(struct p6_time *t);

/* Micro-op p went its way: for the line of its instruction. Only with on_line. */
void p6_line_uop(struct p6 *m, const struct p6_pend *p, const struct mdl_line_uop *u);

#endif
