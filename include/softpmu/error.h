/* error.h -- what can go wrong, and the one sentence that says it.
 *
 * Functions that can fail return 0 (or what they promise) or -SPMU_E...; the sentence says what was
 * asked, why not, and what to try. It goes into a struct that the caller owns; nothing is printed
 * and nothing exits.
 */
#ifndef SOFTPMU_ERROR_H
#define SOFTPMU_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum spmu_errno {
	SPMU_OK = 0,
	SPMU_EINVAL = 1, /* what was asked is not possible */
	SPMU_ENOMEM,	 /* out of memory */
	SPMU_ENOTSUP,	 /* not modelled or not available here */
	SPMU_ENOENT,	 /* not found: program, event, file */
	SPMU_EEXEC,	 /* found, but cannot be executed */
	SPMU_EPROTO,	 /* malformed stream, request or file */
	SPMU_ESYS,	 /* the host refused a system call */
	SPMU_EINTR,	 /* interrupted by the user */
};

#define SPMU_ERROR_BYTES 512
struct spmu_error {
	int code;		     /* enum spmu_errno of the last failure, 0 = none */
	char text[SPMU_ERROR_BYTES]; /* one sentence, no newline */
};

#ifdef __cplusplus
}
#endif

#endif
