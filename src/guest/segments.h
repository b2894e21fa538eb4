/* segments.h -- segment registers of a 32-bit program, and the descriptors that it sets up.
 *
 * MODELLED       the flat segments of the kernel, three thread descriptors (set_thread_area) for FS and
 *                GS; a selector that names nothing raises #GP.
 * NOT MODELLED   other bases than 0 in ES, SS and DS and every LDT (refused); limits and types of
 *                thread descriptors; null selectors, through which an access faults in hardware, act as
 *                flat ones.
 * SOURCES        Intel SDM vol. 3 chapter 3; set_thread_area(2).
 */
#ifndef SOFTPMU_GUEST_SEGMENTS_H
#define SOFTPMU_GUEST_SEGMENTS_H

#include <stdint.h>

struct gst;

enum gst_segment { GST_ES, GST_CS, GST_SS, GST_DS, GST_FS, GST_GS, GST_N_SEGMENTS };

#define GST_CODE_SELECTOR 0x23u
#define GST_DATA_SELECTOR 0x2bu
#define GST_TLS_FIRST 12u /* index of the first thread descriptor in the kernel's table */
#define GST_N_TLS 3u

/* struct user_desc of the kernel. */
struct gst_descriptor {
	uint32_t number, base, limit, bits;
};

struct gst_segments {
	struct gst_descriptor tls[GST_N_TLS]; /* base, limit, bits; bits 0 = empty */
};

/* Selectors and bases of a program that starts. */
void gst_segments_start(struct gst *g);

/* Load segment register `which` (enum gst_segment). Returns 0, or -EFAULT when the processor would
 * raise #GP(selector); refuses the run when the segment is not flat and `which` is not FS or GS. */
long gst_segment_load(struct gst *g, unsigned which, uint32_t selector);

/* set_thread_area for the descriptor in the program's memory at `at`. 0 or -errno. */
long gst_segment_set(struct gst *g, uint64_t at);

struct gst_thread;

/* A thread t that is being born gets the descriptor at `at` (clone's CLONE_SETTLS). 0 or -errno. */
long gst_segment_birth(struct gst *g, struct gst_thread *t, uint64_t at);

/* get_thread_area. 0 or -errno. */
long gst_segment_get(struct gst *g, uint64_t at);

#endif
