/* tables.c -- the generated tables, one function per table. */
#include "catalog/tables.h"

const struct cat_cpu *cat_cpus(size_t *n)
{
	*n = cat_n_cpu;
	return cat_cpu_table;
}

const struct cat_event *cat_events(size_t *n)
{
	*n = cat_n_event;
	return cat_event_table;
}

const struct cat_wire *cat_wires(size_t *n)
{
	*n = cat_n_wire;
	return cat_wire_table;
}

const struct cat_metric *cat_metrics(size_t *n)
{
	*n = cat_n_metric;
	return cat_metric_table;
}

const struct cat_relation *cat_relations(size_t *n)
{
	*n = cat_n_relation;
	return cat_relation_table;
}

const struct cat_group *cat_groups(size_t *n)
{
	*n = cat_n_group;
	return cat_group_table;
}

const struct cat_param *cat_params(size_t *n)
{
	*n = cat_n_param;
	return cat_param_table;
}

const struct cat_generic *cat_generics(size_t *n)
{
	*n = cat_n_generic;
	return cat_generic_table;
}

const struct cat_software *cat_softwares(size_t *n)
{
	*n = cat_n_software;
	return cat_software_table;
}

const struct cat_cpu_name *cat_cpu_names(size_t *n)
{
	*n = cat_n_cpu_name;
	return cat_cpu_name_table;
}

const char *cat_later_names(enum cat_later what)
{
	return cat_later_table[what];
}

const struct cat_uops *cat_uops_table(size_t *n)
{
	*n = cat_n_uops;
	return cat_uops_rows;
}

const struct cat_diagram *cat_diagram_of(const struct cat_cpu *cpu)
{
	const struct cat_diagram *d = &cat_diagram_table[cpu->family];

	return d->n_box ? d : NULL;
}
