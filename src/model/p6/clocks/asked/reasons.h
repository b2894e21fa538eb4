/* reasons.h -- why a micro-op waited, and the lines of listings (reasons.c).
 *
 * A line is of one instruction (struct mdl_line). time.line is filled while its micro-ops pass, and
 * handed to time.on_line with the last one. Clocks are core clocks.
 *
 * ORDER   of an instruction: p6_line_decode() for each reason, p6_line_decoded() once; later
 *         p6_line_stall() for its groups, p6_line_uop() per micro-op. P6_DECODED instructions may
 *         lie between decoding and the last micro-op; the line of an older one would have the
 *         decoders' clocks of another.
 */
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

/* Instructions decoded last: more than those whose micro-ops are being collected. */
#define P6_DECODED 8u

/* What the decoders' clocks were for: of the instruction at hand, and of those decoded last. */
struct p6_decoding {
	uint64_t told_clk; /* clocks of the front end before this one are in a line already */
	uint8_t anew;	   /* enum p6_why: why decoding begins anew; 0: a taken branch */
	uint8_t n;	   /* the instruction at hand, modulo P6_DECODED */
	struct p6_decoded {
		uint8_t n;
		bool is_queue_full;
		struct mdl_stall stall[MDL_LINE_DECODE];
	} insn[P6_DECODED];
};

/* As mdl_reason(): set *name and *sentence, constant texts, of reason `why` (enum p6_why). Returns
 * false, with both unchanged, if there is no such reason. */
bool p6_reason(unsigned why, const char **name, const char **sentence);

/* The group being renamed waits clk clocks because of `why`; 0 changes nothing. Goes to the line,
 * if somebody wants lines, and to the shares of slots, if somebody wants these. */
void p6_line_stall(struct p6 *m, enum p6_why why, uint64_t clk);

/* The clocks that time.front has moved since the last call went by because of `why`, in the
 * decoding of the next instruction. Only with time.on_line. */
void p6_line_decode(struct p6_time *t, enum p6_why why);

/* The next instruction is decoded. Returns its number below P6_DECODED, for p6_pend.decoded. */
uint8_t p6_line_decoded(struct p6_time *t);

/* Micro-op p went its way; *u is copied into the line of its instruction, which is handed out when
 * p is its last. Only with time.on_line. */
void p6_line_uop(struct p6 *m, const struct p6_pend *p, const struct mdl_line_uop *u);

#endif
