/* error.h -- error numbers and the one sentence that goes with them.
 *
 * Fallible functions return 0 or -SPMU_E...; the text (what was asked, why not, what to try) goes
 * into a struct spmu_error that the caller owns. The library never prints and never exits.
 */
#ifndef SOFTPMU_BASE_ERROR_H
#define SOFTPMU_BASE_ERROR_H

enum spmu_errno {
	SPMU_OK = 0,
	SPMU_EINVAL = 1,  /* what was asked cannot be */
	SPMU_ENOMEM,      /* out of memory */
	SPMU_ENOTSUP,     /* not modelled or not available here */
	SPMU_ENOENT,      /* not found: program, event, file */
	SPMU_EEXEC,       /* found, but cannot be executed */
	SPMU_EPROTO,      /* malformed stream, request or file */
	SPMU_ESYS,        /* the host refused a system call */
	SPMU_EINTR,       /* interrupted by the user */
};

#define SPMU_ERROR_BYTES 512
struct spmu_error {
	int code;                     /* enum spmu_errno of the last failure, 0 = none */
	char text[SPMU_ERROR_BYTES];  /* one sentence, no newline */
};

/* Record a failure; fmt as in printf. err may be NULL. Returns -code. */
int spmu_fail(struct spmu_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
