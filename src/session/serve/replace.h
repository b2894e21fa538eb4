/* replace.h -- the softpmu side of an exec: a guest process goes on with a new program. */
#ifndef SOFTPMU_SESSION_REPLACE_H
#define SOFTPMU_SESSION_REPLACE_H

#include "session/serve/serve.h"

/* REQ_EXEC: count what the old program did, forget its code, and fill in the start data for the new
 * one. Returns REQ_OK, or REQ_BAD when the run is refused. */
uint32_t ses_replace(struct ses_server *s);

#endif
