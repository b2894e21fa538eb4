/* sqlite.c -- loads libsqlite3 when the history is asked for. Rules: sqlite.h. */
#include "history/sqlite.h"

#include <string.h>

#include "base/library.h"

bool hst_sqlite_open(struct hst_sqlite *s)
{
	bool has_all = true;

	memset(s, 0, sizeof(*s));
	s->library = library_open("libsqlite3.so.0");
#define HST_FUNCTION(name)                                                                         \
	library_find(s->library, #name, &s->name);                                                 \
	has_all &= s->name != NULL;
	HST_FUNCTIONS
#undef HST_FUNCTION
	return has_all;
}

void hst_sqlite_close(struct hst_sqlite *s)
{
	library_close(s->library);
	memset(s, 0, sizeof(*s));
}
