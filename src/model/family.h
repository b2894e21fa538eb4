/* family.h -- what one machine family gives to the plug (model.h, ask.h): a table of functions.
 *
 * A new family is a folder under src/model with such a table, and one line in model.c.
 */
#ifndef SOFTPMU_MODEL_FAMILY_H
#define SOFTPMU_MODEL_FAMILY_H

#include "model/ask.h"
#include "model/model.h"

/* The functions do what those with the same name in model.h and ask.h do;
 * `self` is what open() made. Those that may be NULL say so. */
struct mdl_family {
	int (*open)(const struct mdl_config *cfg, struct wires *w, void **self);
	void (*close)(void *self);
	/* Two models of this family get one stream, and no function of ask.h is called: they may
	 * share work. more: opened with cfg; nothing was fed yet. first is the earlier one in the
	 * chain. NULL: models of this family never share work. */
	void (*join)(void *first, void *more, const struct mdl_config *cfg);
	int (*feed)(void *self, const uint8_t *bytes, size_t n);
	int (*add_counts)(void *self, uint32_t id, uint64_t times, uint64_t taken);
	void (*begin)(void *self);
	uint64_t (*instructions)(const void *self);
	uint64_t (*unseen)(void *self, uint32_t id, unsigned wire);
	void (*finish)(void *self);
	void (*executions)(void *self, uint64_t *total); /* total[] is all zero */
	void (*add_once)(void *self, uint32_t id, uint64_t times, uint64_t *total);
	/* add to times[]; NULL: executions() counts nothing */
	void (*times)(void *self, uint64_t *times, uint32_t n);
	void (*finish_with)(void *self, const uint64_t *total);
	void (*forget_blocks)(void *self);
	void (*cpu_totals)(void *self, unsigned cpu, uint64_t *total);
	const char *(*cannot_occur)(const void *self, unsigned wire);
	/* NULL: the model reports no lines */
	bool (*reason)(unsigned why, const char **name, const char **sentence);
	void (*rest)(void *self); /* NULL: the model has no threads */
	void (*peek)(void *self, const uint64_t *total);
	/* bounds, bounds_of_hits and hits: NULL when no bound and no hit is known */
	void (*bounds)(void *self, const struct x86_block *b, unsigned insn, uint64_t items,
		       struct mdl_bounds *out);
	void (*bounds_of_hits)(void *self, const struct x86_block *b, unsigned from, unsigned to,
			       struct mdl_bounds *out);
	bool (*hits)(void *self, const struct x86_block *b, unsigned from, unsigned to,
		     const uint8_t *slots);
	uint64_t (*backlog)(const void *self);
	/* take_ledger, set_context and take_contexts: NULL when the model has no ledger */
	int (*take_ledger)(void *self, const struct mdl_visit *visit, size_t n,
			   mdl_take_posting *take, void *ctx);
	void (*set_context)(void *self, uint32_t context);
	int (*take_contexts)(void *self, const struct mdl_visit *visit, size_t n,
			     mdl_take_posting *take, void *ctx);
	/* NULL: the model has only one way to its counts */
	const char *(*path)(const void *self, unsigned i, uint64_t *entered);
	/* Parts of a run (part.h). has_parts NULL: the model has none, and the three below are
	 * NULL. */
	bool (*has_parts)(const void *self);
	int (*part)(void *self, uint64_t *part);
	int (*part_totals)(void *self, const uint64_t *part, uint64_t *total, uint64_t *half);
	int (*part_begin)(void *self);
};

/* A model that is open: seen by model.c and ask.c alone. */
struct mdl {
	const struct mdl_family *family;
	void *self;
	struct mdl *next; /* gets the same stream (mdl_add) */
};

extern const struct mdl_family mdl_toy, mdl_p5, mdl_p6;

#endif
