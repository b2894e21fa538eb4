/* reasons.h -- why a micro-op waited, and the lines of listings (reasons.c). */
#ifndef SOFTPMU_MODEL_P6_REASONS_H
#define SOFTPMU_MODEL_P6_REASONS_H

#include <stdbool.h>
#include <stdint.h>

struct p6;
struct p6_pend;
struct mdl_line_uop;

/* Why a micro-op waited (reasons.def). */
enum p6_why {
#define P6_WHY(id, name, text) P6_WHY_##id,
#include "model/p6/clocks/asked/reasons.def"
#undef P6_WHY
	P6_N_WHY
};

/* As mdl_reason(). */
bool p6_reason(unsigned why, const char **name, const char **sentence);

/* The group being renamed waits. */
void p6_line_stall(struct p6 *m, enum p6_why why, uint64_t clk);

/* Micro-op p went its way: for the line of its instruction. Only with on_line. */
void p6_line_uop(struct p6 *m, const struct p6_pend *p, const struct mdl_line_uop *u);

#endif
