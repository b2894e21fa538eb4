/* btb.c -- unit btb: branch prediction.
 *
 * NOT MODELLED     everything: each branch is predicted.
 */
#include "model/p5/p5.h"

unsigned p5_btb_slot(struct p5 *m, const struct p5_slot *s)
{
	(void)m;
	(void)s;
	return 0;
}
