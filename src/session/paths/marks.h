/* marks.h -- marks of code addresses: was it called, was it returned to. They outlive the
 * blocks. */
#ifndef SOFTPMU_SESSION_MARKS_H
#define SOFTPMU_SESSION_MARKS_H

#include <stdint.h>

enum {
	SES_MARK_ENTRY = 1, /* a CALL has gone there */
	SES_MARK_BACK = 2,  /* a RET has gone there, to behind a CALL */
};

struct ses_marks {
	uint64_t *at; /* address and marks, or 0; owned */
	uint32_t n, room;
};

/* Set marks of an address. Without memory they are not kept. */
void ses_marks_set(struct ses_marks *m, uint64_t pc, unsigned marks);

/* Returns the marks of an address. */
unsigned ses_marks_get(const struct ses_marks *m, uint64_t pc);

/* Forget all marks. */
void ses_marks_clear(struct ses_marks *m);
void ses_marks_free(struct ses_marks *m);

#endif
