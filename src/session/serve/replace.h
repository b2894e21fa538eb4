/* replace.h -- the softpmu side of an exec: the same guest process with a new program. */
#ifndef SOFTPMU_SESSION_REPLACE_H
#define SOFTPMU_SESSION_REPLACE_H

#include "session/serve/serve.h"

/* REQ_EXEC: count what the old program did, forget its code, and fill the start data for the new
 * one. Returns REQ_OK or REQ_BAD (the run is refused then). */
uint32_t ses_replace(struct ses_server *s);

#endif
