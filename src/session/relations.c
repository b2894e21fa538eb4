#include "session/relations.h"

#include <stdlib.h>
#include <string.h>

int ses_relations_all(const struct cat_cpu *cpu, struct ses_relations *out, struct ses_events *list,
                      struct spmu_error *err)
{
	size_t n;
	const struct cat_relation *rows = cat_relations(&n);

	for (size_t i = 0; i < n; i++) {
		struct ses_relation r = { .row = &rows[i] }, *relation;
		int rc;

		/* A formula that does not parse here names an event that this processor lacks. */
		if (rows[i].family != cpu->family ||
		    ses_formula_parse(cpu, rows[i].left, &r.left, NULL) ||
		    ses_formula_parse(cpu, rows[i].right, &r.right, NULL))
			continue;
		rc = ses_formula_events(&r.left, list, err);
		if (!rc)
			rc = ses_formula_events(&r.right, list, err);
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

struct ses_test ses_relation_test(const struct ses_relation *r, const struct ses_events *list,
                                  const struct ses_count *count)
{
	struct ses_test t = { .left = ses_formula_value(&r->left, list, count),
		              .right = ses_formula_value(&r->right, list, count) };
	bool holds;

	if (t.left.status != SES_COUNTED || t.right.status != SES_COUNTED) {
		t.verdict = SES_NOT_TESTED;
		return t;
	}
	if (!strcmp(r->row->op, "="))
		holds = t.left.value == t.right.value;
	else if (!strcmp(r->row->op, "<="))
		holds = t.left.value <= t.right.value;
	else
		holds = t.left.value >= t.right.value;
	t.verdict = holds ? SES_HOLDS : SES_BROKEN;
	return t;
}

void ses_relations_free(struct ses_relations *r)
{
	free(r->relation);
	*r = (struct ses_relations){ 0 };
}
