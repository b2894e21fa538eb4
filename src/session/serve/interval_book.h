/* interval_book.h -- the first server's book of intervals (intervals.h): what each server told, until all have left the interval. */
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

/* News of a server: it begins, ends an interval, answers or ends. Other messages, and b NULL: nothing happens. */
void ses_book_take(struct ses_book *b, const struct ses_message *m);

/* All servers have ended: tell the rest. */
void ses_book_end(struct ses_book *b, struct ses_server *s);

/* Tell the user what is complete; the first server's guest has left all intervals in front of `done`. */
void ses_book_tell(struct ses_book *b, struct ses_server *s, uint64_t done);

#endif
