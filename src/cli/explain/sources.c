/* sources.c -- what the keys of the catalog's source fields stand for, as a list below what is
 * explained. Rules: sources.h. */
#include "cli/explain/sources.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "cli/layout.h"

/* Returns true if the first n bytes of the comma list hold the key. */
static bool has_key(const char *keys, size_t n, const char *key, size_t n_key)
{
	for (size_t at = 0; at < n; at += strcspn(keys + at, ",:") + 1)
		if (strcspn(keys + at, ",:") == n_key && !strncmp(keys + at, key, n_key))
			return true;
	return false;
}

void cli_explain_keys(const char *keys, size_t n, const char *told)
{
	for (size_t at = 0; at < n; at += strcspn(keys + at, ",:") + 1) {
		const size_t n_key = strcspn(keys + at, ",:");
		const char *source = cat_find_source(keys + at, n_key);
		char text[512];

		if (has_key(told, strlen(told), keys + at, n_key) ||
		    has_key(keys, at, keys + at, n_key))
			continue;
		snprintf(text, sizeof(text), "%.*s: %s", (int)n_key, keys + at,
			 source ? source : "(not in the list)");
		layout_paragraphs(text, 4);
	}
}

void cli_explain_sources(const char *keys)
{
	printf("\n  Source\n");
	cli_explain_keys(keys, strlen(keys), "");
}
