/* list_names.h -- part of softpmu list. */
#ifndef SOFTPMU_CLI_LIST_NAMES_H
#define SOFTPMU_CLI_LIST_NAMES_H

#include "catalog/catalog.h"

/* Print perf's generic names with the events of cpu that count them, and its software events. */
void list_names(const struct cat_cpu *cpu);

#endif
