#include "session/remarks.h"

#include <stdio.h>
#include <string.h>

#include "session/last_words.h"

void ses_remarks_fill(struct ses_remarks *r, const struct shr_ctl *c, const char *program)
{
	r->wants_isa = ses_last_words_isa(c);
	if (!r->wants_isa)
		return;
	r->shown_isa = (int)c->start.isa_level;
	snprintf(r->wants_isa_by, sizeof(r->wants_isa_by), "%s", program);
}

void ses_remarks_merge(struct ses_remarks *to, const struct ses_remarks *from)
{
	if (from->wants_isa > to->wants_isa ||
	    (from->wants_isa && from->wants_isa == to->wants_isa && strcmp(from->wants_isa_by, to->wants_isa_by) < 0)) {
		to->wants_isa = from->wants_isa;
		to->shown_isa = from->shown_isa;
		memcpy(to->wants_isa_by, from->wants_isa_by, sizeof(to->wants_isa_by));
	}
}
