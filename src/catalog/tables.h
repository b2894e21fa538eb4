/* tables.h -- the generated tables as src/catalog sees them. Nobody outside this folder and
 * gen/catalog_tables.c includes it; readers use catalog.h.
 */
#ifndef SOFTPMU_CATALOG_TABLES_H
#define SOFTPMU_CATALOG_TABLES_H

#include "catalog/catalog.h"
#include "catalog/diagram.h"

struct cat_alias {
	const char *name;
	const struct cat_event *event;
	uint8_t umask;	   /* 0 unless has_umask */
	uint8_t has_umask; /* the name implies the unit mask */
};

/* One rule of nearest.tsv, for what the P6 never had. Rules without a '*' are tried before those
 * with one (uops.c); among these the first counts that matches and whose row exists. */
struct cat_nearest {
	const char *pattern; /* of mnemonics */
	const char *like;    /* mnemonic whose row of uops.tsv counts; '*': what matched that */
	const char *also;    /* one whose micro-ops are added, or "" */
	uint16_t part_bits;  /* counts once per so many bits of the widest operand; 0: once */
};

extern const struct cat_wire cat_wire_table[];
extern const struct cat_event cat_event_table[];
extern const struct cat_cpu cat_cpu_table[];
extern const struct cat_metric cat_metric_table[];
extern const struct cat_relation cat_relation_table[];
extern const struct cat_group cat_group_table[];
extern const struct cat_alias cat_alias_names[];
extern const struct cat_generic cat_generic_table[];
extern const struct cat_software cat_software_table[];
extern const struct cat_cpu_name cat_cpu_name_table[];
extern const size_t cat_n_software, cat_n_cpu_name;
extern const char *const cat_later_table[]; /* index: enum cat_later */
extern const struct cat_uops cat_uops_rows[];
/* One row of p6/params.tsv: of a processor, of a class of them, or of all. */
struct cat_p6_param {
	const char *name; /* of the figure; it ends with the unit of the value */
	const char *cpu;  /* processor, or "" */
	int8_t cpu_class; /* enum cat_cpu_class, or -1 */
	uint16_t value;
	const char *text, *source;
};
extern const struct cat_p6_param cat_p6_param_rows[];
extern const size_t cat_n_p6_param;
extern const struct cat_p6_timing cat_p6_timing_rows[];
extern const size_t cat_n_p6_timing;
extern const struct cat_source cat_source_table[];
extern const struct cat_param cat_param_table[];
extern const struct cat_reading cat_reading_table[];
extern const struct cat_diagram cat_diagram_table[]; /* index: enum cat_family */
extern const struct cat_nearest cat_nearest_rows[];
extern const struct cat_timing cat_timing_rows[];  /* forms, sorted; then patterns, in order */
extern const char *const *const cat_alias_table[]; /* same index as cat_event_table */

extern const size_t cat_n_wire, cat_n_event, cat_n_cpu, cat_n_metric, cat_n_relation, cat_n_group,
    cat_n_alias, cat_n_generic, cat_n_uops, cat_n_nearest, cat_n_param, cat_n_reading, cat_n_source,
    cat_n_timing, cat_n_timing_form;

#endif
