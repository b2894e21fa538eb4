/* unfinished.h -- the instruction that QEMU takes back.
 *
 * QEMU ends a stretch in front of an instruction that would be the first to leave the stretch's
 * page, and begins the next one with it. It notices that while it reads the instruction. By then a
 * plugin has been told of it, as the last one of the stretch, with the bytes that were read.
 */
#ifndef SOFTPMU_BARE_UNFINISHED_H
#define SOFTPMU_BARE_UNFINISHED_H

#include "bare/blocks.h"

/* Leave the last instruction of s out if it is such a one. mode: of the code. */
void bare_unfinished_drop(struct bare_stretch *s, enum x86_mode mode);

#endif
