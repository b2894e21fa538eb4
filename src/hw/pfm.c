/* pfm.c -- dlopen of libpfm4 and its encoding call; without its headers, functions that find
 * nothing. Rules are in pfm.h.
 */
#include "hw/pfm.h"

#include <stddef.h>

#ifdef __has_include
#if __has_include(<perfmon/pfmlib_perf_event.h>)
#define HAS_PFM 1
#endif
#endif

#ifdef HAS_PFM
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>

#include "base/library.h"

struct hw_pfm {
	void *library;
	pfm_err_t (*initialize)(void);
	const char *(*strerror)(int);
	pfm_err_t (*encode)(const char *, int, pfm_os_t, void *);
	pfm_err_t (*pmu_info)(pfm_pmu_t, pfm_pmu_info_t *);
	pfm_err_t (*event_info)(int, pfm_os_t, pfm_event_info_t *);
	int (*event_next)(int);
};

struct hw_pfm *hw_pfm_open(void)
{
	struct hw_pfm *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->library = library_open("libpfm.so.4");
	if (!p->library)
		goto fail;
	library_find(p->library, "pfm_initialize", &p->initialize);
	library_find(p->library, "pfm_strerror", &p->strerror);
	library_find(p->library, "pfm_get_os_event_encoding", &p->encode);
	library_find(p->library, "pfm_get_pmu_info", &p->pmu_info);
	library_find(p->library, "pfm_get_event_info", &p->event_info);
	library_find(p->library, "pfm_get_event_next", &p->event_next);
	if (!p->initialize || !p->strerror || !p->encode || !p->pmu_info || !p->event_info ||
	    !p->event_next)
		goto fail;
	if (p->initialize() != PFM_SUCCESS)
		goto fail;
	return p;
fail:
	hw_pfm_close(p);
	return NULL;
}

void hw_pfm_close(struct hw_pfm *p)
{
	if (!p)
		return;
	library_close(p->library); /* without pfm_terminate: the program may use it as well */
	free(p);
}

int hw_pfm_encode(const struct hw_pfm *p, const char *text, struct perf_event_attr *attr,
		  const char **why)
{
	struct perf_event_attr got = {.size = sizeof(got)};
	pfm_perf_encode_arg_t arg = {.attr = &got, .size = sizeof(arg)};
	pfm_err_t rc = p->encode(text, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);

	*why = p->strerror(rc);
	if (rc != PFM_SUCCESS)
		return -1;
	attr->type = got.type;
	attr->config = got.config;
	attr->config1 = got.config1;
	attr->config2 = got.config2;
	attr->exclude_user = got.exclude_user;
	attr->exclude_kernel = got.exclude_kernel;
	return 0;
}

void hw_pfm_offer(const struct hw_pfm *p, struct spelling_search *s)
{
	for (int k = PFM_PMU_NONE + 1; k < PFM_PMU_MAX; k++) {
		pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

		if (p->pmu_info((pfm_pmu_t)k, &pmu) != PFM_SUCCESS || !pmu.is_present)
			continue;
		for (int i = pmu.first_event; i >= 0; i = p->event_next(i)) {
			pfm_event_info_t event = {.size = sizeof(event)};

			if (p->event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
				spelling_offer(s, event.name);
		}
	}
}

#else

struct hw_pfm *hw_pfm_open(void)
{
	return NULL;
}

void hw_pfm_close(struct hw_pfm *p)
{
}

int hw_pfm_encode(const struct hw_pfm *p, const char *text, struct perf_event_attr *attr,
		  const char **why)
{
	*why = "built without libpfm4";
	return -1;
}

void hw_pfm_offer(const struct hw_pfm *p, struct spelling_search *s)
{
}

#endif
