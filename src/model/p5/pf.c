/* pf.c -- unit pf: prefetch buffers.
 *
 * NOT MODELLED     everything: code is there when it is wanted.
 */
#include "model/p5/p5.h"

uint64_t p5_pf_ready(struct p5 *m, uint64_t pc, unsigned bytes, uint64_t at_clk)
{
	(void)m;
	(void)pc;
	(void)bytes;
	return at_clk;
}

void p5_pf_redirect(struct p5 *m, uint64_t pc, uint64_t clk, bool is_flush)
{
	(void)m;
	(void)pc;
	(void)clk;
	(void)is_flush;
}
