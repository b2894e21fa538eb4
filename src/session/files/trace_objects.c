/* trace_objects.c -- the identities of executed files in a trace. Rules: trace_objects.h. */
#include "session/files/trace_objects.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/files/build_id.h"

#define MOST_PATH 4096u

const struct ses_trace_object *ses_trace_objects_find(const struct ses_trace_objects *o,
						      const char *path)
{
	for (size_t i = 0; i < o->n; i++)
		if (!strcmp(o->object[i].path, path))
			return &o->object[i];
	return NULL;
}

/* A new one of that name, or NULL. */
static struct ses_trace_object *add(struct ses_trace_objects *o, const char *path)
{
	struct ses_trace_object *one;

	if (o->n == SES_TRACE_OBJECTS || *path != '/' || strlen(path) >= MOST_PATH)
		return NULL;
	if (o->n == o->room) {
		const size_t room = o->room ? 2 * o->room : 16;

		one = realloc(o->object, room * sizeof(*one));
		if (!one)
			return NULL;
		o->object = one;
		o->room = room;
	}
	one = &o->object[o->n];
	*one = (struct ses_trace_object){.path = strdup(path)};
	o->n += one->path != NULL;
	return one->path ? one : NULL;
}

/* What identifies the file; false: it cannot be read. */
static bool identify(struct ses_trace_object *one)
{
	const int fd = open(one->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	const bool is_file = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

	if (is_file) {
		one->size = (uint64_t)st.st_size;
		ses_build_id(fd, one->size, one->build_id, sizeof(one->build_id));
	}
	if (fd >= 0)
		close(fd);
	return is_file;
}

char *ses_trace_objects_text(struct ses_trace_objects *o, const char *path)
{
	struct ses_trace_object *one = ses_trace_objects_find(o, path) ? NULL : add(o, path);
	json_t *text = one && identify(one) ? json_object() : NULL, *name;
	char *written;

	if (!text)
		return NULL;
	name = json_string(path);
	json_object_set_new(text, "path", name ? name : json_string(""));
	json_object_set_new(text, "bytes", json_integer((json_int_t)one->size));
	json_object_set_new(text, "build_id", json_string(one->build_id));
	written = json_dumps(text, JSON_COMPACT);
	json_decref(text);
	return written;
}

void ses_trace_objects_take(struct ses_trace_objects *o, const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	const char *path = json_string_value(json_object_get(json, "path"));
	const char *build_id = json_string_value(json_object_get(json, "build_id"));
	struct ses_trace_object *one = NULL;

	if (path && build_id && strlen(build_id) < SES_TRACE_BUILD_ID &&
	    strspn(build_id, "0123456789abcdef") == strlen(build_id) &&
	    !ses_trace_objects_find(o, path))
		one = add(o, path);
	if (one) {
		strcpy(one->build_id, build_id);
		one->size = (uint64_t)json_integer_value(json_object_get(json, "bytes"));
	}
	json_decref(json);
}

void ses_trace_objects_free(struct ses_trace_objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->object[i].path);
	free(o->object);
	*o = (struct ses_trace_objects){.object = NULL};
}
