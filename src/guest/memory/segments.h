/* segments.h -- segment registers of a 32-bit program, and the descriptors that it sets up.
 *
 * MODELLED       the flat segments of the kernel, three thread descriptors (set_thread_area) and
 *                the LDT (modify_ldt, ldt32.c) with any base for FS and GS, base 0 for the
 *                others; a selector that names nothing, or what cannot be loaded there, raises
 *                #GP, one of an absent segment #NP or #SS, an access through a null one #GP: FS
 *                and GS by a pointer that faults (shr_gs.seg_at), DS and ES, which programs
 *                leave alone, by code that is translated anew for it.
 * NOT MODELLED   other bases than 0 in CS, ES, SS and DS, 16-bit code and stacks (refused with a
 *                sentence); limits, and stores to read-only segments. LAR, LSL, VERR and VERW
 *                see the host's tables.
 * SOURCES        Intel SDM vol. 3 chapter 3; set_thread_area(2), modify_ldt(2).
 */
#ifndef SOFTPMU_GUEST_SEGMENTS_H
#define SOFTPMU_GUEST_SEGMENTS_H

#include <stdint.h>

struct gst;

enum gst_segment { GST_ES, GST_CS, GST_SS, GST_DS, GST_FS, GST_GS, GST_N_SEGMENTS };

#define GST_CODE_SELECTOR 0x23u
#define GST_CODE_64	  0x33u /* of 64-bit programs */
#define GST_DATA_SELECTOR 0x2bu
#define GST_TLS_FIRST	  12u /* index of the first thread descriptor in the kernel's table */
#define GST_N_TLS	  3u

/* struct user_desc of the kernel. */
struct gst_descriptor {
	uint32_t number, base, limit, bits;
};

#define GST_SEG_32	  1u
#define GST_SEG_CONTENTS  6u /* 0 data, 2 data that grows down, 4 code, 6 conforming code */
#define GST_SEG_READ_ONLY 8u
#define GST_SEG_PAGES	  0x10u
#define GST_SEG_ABSENT	  0x20u
#define GST_SEG_USEABLE	  0x40u
#define GST_SEG_TAKEN	  0x80000000u /* not the kernel's: the entry of the LDT is not empty */

struct gst_segments {
	struct gst_descriptor tls[GST_N_TLS]; /* base, limit, bits; bits 0 = empty */
};

/* Selectors and bases of a program that starts. */
void gst_segments_start(struct gst *g);

/* Load segment register `which` (enum gst_segment, not CS). Returns 0; -EFAULT when the
 * processor would raise #GP(selector), -ENXIO for #NP or #SS; refuses the run when the segment
 * is not flat and `which` is not FS or GS. */
long gst_segment_load(struct gst *g, unsigned which, uint32_t selector);

/* Selectors or bases of FS and GS were put into the gs area by other ways than gst_segment_load. */
void gst_segments_point(struct gst *g);

/* Returns which of DS and ES are null: a bit per enum gst_segment. */
uint32_t gst_segments_null(const struct gst *g);

/* Returns 1 if the selector is one of code that can be executed. Refuses the run if the segment is
 * code, but not flat 32-bit code. */
int gst_segment_is_code(struct gst *g, uint32_t selector);

/* ldt32.c: the entry of the LDT that a selector names, or NULL. */
const struct gst_descriptor *gst_ldt_entry(const struct gst *g, uint32_t selector);

/* set_thread_area for the descriptor in the program's memory at `at`. 0 or -errno. */
long gst_segment_set(struct gst *g, uint64_t at);

struct gst_thread;

/* A thread t that is being born gets the descriptor at `at` (clone's CLONE_SETTLS). 0 or -errno. */
long gst_segment_birth(struct gst *g, struct gst_thread *t, uint64_t at);

/* get_thread_area. 0 or -errno. */
long gst_segment_get(struct gst *g, uint64_t at);

#endif
