/* icache.c -- unit icache: code reads through L1I.
 *
 * NOT MODELLED     everything.
 */
#include "model/p5/p5.h"

bool p5_icache_is_marked(struct p5 *m, uint64_t pc, unsigned bytes)
{
	(void)m;
	(void)pc;
	(void)bytes;
	return true;
}
