/* relations.c -- takes the relations whose events were counted, and tests them. Rules are in
 * relations.h.
 */
#include "event/relations.h"

#include <stdlib.h>
#include <string.h>

int evt_relations_all(const struct cat_cpu *cpu, struct evt_relations *out, struct evt_events *list,
		      struct spmu_error *err)
{
	size_t n;
	const struct cat_relation *rows = cat_relations(&n);

	for (size_t i = 0; i < n; i++) {
		struct evt_relation r = {.row = &rows[i]}, *relation;
		int rc;

		/* A formula that does not parse here names an event that this processor lacks. */
		if (rows[i].family != cpu->family ||
		    evt_formula_parse(cpu, rows[i].left, &r.left, NULL) ||
		    evt_formula_parse(cpu, rows[i].right, &r.right, NULL))
			continue;
		rc = evt_formula_events(&r.left, list, err);
		if (!rc)
			rc = evt_formula_events(&r.right, list, err);
		if (rc)
			return rc;
		relation = realloc(out->relation, (out->n + 1) * sizeof(*relation));
		if (!relation)
			return spmu_fail(err, SPMU_ENOMEM,
					 "out of memory for the list of relations");
		out->relation = relation;
		relation[out->n++] = r;
	}
	return 0;
}

struct evt_test evt_relation_test(const struct evt_relation *r, const struct evt_events *list,
				  const struct evt_count *count)
{
	struct evt_test t = {.left = evt_formula_value(&r->left, list, count),
			     .right = evt_formula_value(&r->right, list, count)};
	const long double half = t.left.half + t.right.half;
	bool holds;

	if (t.left.status != EVT_COUNTED || t.right.status != EVT_COUNTED) {
		t.verdict = EVT_NOT_TESTED;
		return t;
	}
	if (!strcmp(r->row->op, "="))
		holds =
		    t.left.value <= t.right.value + half && t.left.value + half >= t.right.value;
	else if (!strcmp(r->row->op, "<="))
		holds = t.left.value <= t.right.value + half;
	else
		holds = t.left.value + half >= t.right.value;
	t.verdict = holds ? EVT_HOLDS : EVT_BROKEN;
	return t;
}

void evt_relations_free(struct evt_relations *r)
{
	free(r->relation);
	*r = (struct evt_relations){0};
}
