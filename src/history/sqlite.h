/* sqlite.h -- the functions of SQLite that the history needs, looked for when it is asked for: runs
 * that only count do not load it. */
#ifndef SOFTPMU_HISTORY_SQLITE_H
#define SOFTPMU_HISTORY_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

/* HST_FUNCTION(name): a pointer of this name and type in struct hst_sqlite. */
#define HST_FUNCTIONS                                                                              \
	HST_FUNCTION(sqlite3_open_v2)                                                              \
	HST_FUNCTION(sqlite3_close)                                                                \
	HST_FUNCTION(sqlite3_exec)                                                                 \
	HST_FUNCTION(sqlite3_errmsg)                                                               \
	HST_FUNCTION(sqlite3_errcode)                                                              \
	HST_FUNCTION(sqlite3_busy_timeout)                                                         \
	HST_FUNCTION(sqlite3_limit)                                                                \
	HST_FUNCTION(sqlite3_prepare_v2)                                                           \
	HST_FUNCTION(sqlite3_bind_text)                                                            \
	HST_FUNCTION(sqlite3_bind_int64)                                                           \
	HST_FUNCTION(sqlite3_step)                                                                 \
	HST_FUNCTION(sqlite3_reset)                                                                \
	HST_FUNCTION(sqlite3_finalize)                                                             \
	HST_FUNCTION(sqlite3_column_text)                                                          \
	HST_FUNCTION(sqlite3_column_int64)                                                         \
	HST_FUNCTION(sqlite3_last_insert_rowid)                                                    \
	HST_FUNCTION(sqlite3_changes)

struct hst_sqlite {
#define HST_FUNCTION(name) __typeof__(name) *name;
	HST_FUNCTIONS
#undef HST_FUNCTION
	void *library;
};

/* Returns false when libsqlite3 is not there. hst_sqlite_close() in either case. */
bool hst_sqlite_open(struct hst_sqlite *s);
void hst_sqlite_close(struct hst_sqlite *s);

#endif
