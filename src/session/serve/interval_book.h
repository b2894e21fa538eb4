/* interval_book.h -- where the first server collects the intervals of all servers (intervals.h). It
 * keeps an interval until every process has left it, and then reports their sum.
 */
#ifndef SOFTPMU_SESSION_INTERVAL_BOOK_H
#define SOFTPMU_SESSION_INTERVAL_BOOK_H

#include <stdbool.h>
#include <stdint.h>

struct ses_book;
struct ses_message;
struct ses_server;

/* Owned by the caller. Returns 0 or -SPMU_ENOMEM. ses_book_close() takes NULL. */
int ses_book_open(struct ses_book **out);
void ses_book_close(struct ses_book *b);

/* Take a message of a server: it has begun, ended an interval, sent its counts so far, or ended.
 * Ignores other messages, and does nothing when b is NULL. */
void ses_book_take(struct ses_book *b, const struct ses_message *m);

/* All servers have ended: report the intervals that are left. */
void ses_book_end(struct ses_book *b, struct ses_server *s);

/* Report the intervals that are complete. done: the first server's guest has left all intervals
 * before this one. */
void ses_book_tell(struct ses_book *b, struct ses_server *s, uint64_t done);

#endif
