/* counting.c -- from wires to the counts of events, and from events to the wires and the tier
 * that they need. Rules: counting.h. */
#include "session/totals/counting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "model/ask.h"
#include "pmu/count.h"
#include "pmu/p5.h"
#include "pmu/p5_regs.h"

static enum evt_status status_of(enum pmu_status status)
{
	switch (status) {
	case PMU_COUNTED: return EVT_COUNTED;
	case PMU_CANNOT_OCCUR: return EVT_CANNOT_OCCUR;
	case PMU_UNDEFINED: return EVT_UNDEFINED;
	case PMU_TOO_FEW_SAMPLES: return EVT_TOO_FEW_SAMPLES;
	default: return EVT_NOT_MODELLED;
	}
}

void ses_count_events(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
		      const struct wires *w, struct evt_count *count)
{
	for (size_t i = 0; i < n; i++) {
		struct pmu_select s = evt_select(&event[i]);
		struct pmu_reading r = pmu_count(cpu, &s, w);

		if (event[i].why_not || event[i].software) {
			count[i] = event[i].why_not
				       ? (struct evt_count){.status = EVT_NOT_SUPPORTED,
							    .why = event[i].why_not}
				       : (struct evt_count){.status = EVT_NOT_COUNTED,
							    .why = "it is a figure of this machine "
								   "for the whole run"};
			continue;
		}

		count[i] = (struct evt_count){r.value, status_of(r.status), r.why, r.half};
	}
}

static uint64_t software_figure(const struct ses_result *run, uint8_t figure)
{
	switch (figure) {
	case CAT_SW_TASK_CLOCK: return (uint64_t)(1e9 * (run->user_s + run->sys_s));
	case CAT_SW_ELAPSED: return (uint64_t)(1e9 * run->elapsed_s);
	case CAT_SW_USER_TIME: return (uint64_t)(1e9 * run->user_s);
	case CAT_SW_SYSTEM_TIME: return (uint64_t)(1e9 * run->sys_s);
	case CAT_SW_FAULTS: return run->minor_faults + run->major_faults;
	case CAT_SW_MINOR_FAULTS: return run->minor_faults;
	case CAT_SW_MAJOR_FAULTS: return run->major_faults;
	default: return run->switches;
	}
}

bool ses_is_clocks(const struct evt_event *e)
{
	return e->event && e->event->n_wire == 1 && e->event->wire[0].wire == WIRE_P6_CORE_CLK &&
	       !e->cmask && !e->edge;
}

void ses_count_software(const struct ses_result *run, const struct evt_event *event, size_t n,
			struct evt_count *count)
{
	for (size_t i = 0; i < n; i++)
		if (event[i].software && !event[i].why_not)
			count[i] = (struct evt_count){
			    .value = software_figure(run, event[i].software->figure),
			    .status = EVT_COUNTED};
}

void ses_count_in_registers(const struct cat_cpu *cpu, const struct evt_events *list,
			    const struct evt_counter_plan *plan, struct evt_count *count)
{
	for (int run = 0; cpu->family == CAT_P5 && run < plan->n_run; run++) {
		struct pmu_p5 p = {0};
		uint64_t cesr = 0;

		for (size_t i = 0; i < list->n; i++) {
			const struct evt_event *e = &list->event[i];
			struct pmu_select s = evt_select(e);

			s.kernel = false;
			if (plan->run[i] == run && plan->counter[i] >= 0)
				cesr |= pmu_p5_encode(&s, (unsigned)plan->counter[i],
						      e->event && e->event->kind == CAT_DURATION);
		}
		pmu_p5_write(&p, P5_MSR_CESR, cesr);
		for (size_t i = 0; i < list->n; i++) {
			const struct pmu_p5_pulse pulse = {count[i].value, count[i].value, true};

			if (plan->run[i] != run || plan->counter[i] < 0 ||
			    count[i].status != EVT_COUNTED)
				continue;
			pmu_p5_add(&p, (unsigned)plan->counter[i], &pulse);
			pmu_p5_read(&p, P5_MSR_CTR0 + (uint32_t)plan->counter[i], &count[i].value);
		}
	}
}

/* The share of foreign instructions goes into every report and costs a few numbers per block. */
static void want_internal(uint8_t *wanted)
{
	size_t n;
	const struct cat_wire *wires = cat_wires(&n);

	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (wires[i].is_internal && wires[i].tier == 1)
			wanted[i] = 1;
}

struct ses_later ses_later_of(const uint64_t *total)
{
	/* the wires of other families are 0 */
	return (struct ses_later){
	    .all = total[WIRE_P5_CORE_FOREIGN] + total[WIRE_P6_RETIRE_FOREIGN],
	    .new_forms = total[WIRE_P5_CORE_FOREIGN_NEW],
	    .mmx = total[WIRE_P5_CORE_FOREIGN_MMX] + total[WIRE_P6_RETIRE_FOREIGN_MMX],
	    .sse = total[WIRE_P5_CORE_FOREIGN_SSE] + total[WIRE_P6_RETIRE_FOREIGN_SSE],
	    .long_mode = total[WIRE_P5_CORE_FOREIGN_LONG] + total[WIRE_P6_RETIRE_FOREIGN_LONG],
	};
}

void ses_wanted_wires(const struct evt_event *event, size_t n, uint8_t *wanted)
{
	want_internal(wanted);
	for (size_t i = 0; i < n; i++) {
		const struct cat_event *e = event[i].event;

		if (!e || !event[i].user)
			continue;
		if (event[i].watch)
			wanted[WIRE_P6_CORE_WATCH0 + event[i].watch - 1u] = 1;
		for (unsigned j = 0; j < e->n_wire; j++) {
			const struct pmu_select s = evt_select(&event[i]);
			const struct cat_reading reading = pmu_reading_of(&s, e->wire[j].wire);

			if (!pmu_selects(&e->wire[j], event[i].umask) || reading.wire >= WIRE_N)
				continue;
			wanted[reading.other] = 1;
			if (reading.minus < WIRE_N)
				wanted[reading.minus] = 1;
		}
	}
}

void ses_wanted_up_to(int tier, uint8_t *wanted)
{
	size_t n;
	const struct cat_wire *wires = cat_wires(&n);

	for (size_t i = 0; i < n && i < WIRE_N; i++)
		/* wires for slots and for comparisons are counted only if asked for by name */
		if (wires[i].tier <= tier && tier && wires[i].need != CAT_NEED_SLOTS &&
		    wires[i].need != CAT_NEED_WATCH)
			wanted[i] = 1;
}

void ses_watches(const struct evt_event *event, size_t n, struct mdl_config *out)
{
	out->p6.n_watch = 0;
	for (size_t i = 0; i < n; i++) {
		const struct cat_event *e = event[i].event;
		struct mdl_watch *w = &out->p6.watch[(event[i].watch - 1u) % WIRE_N_WATCH];

		if (!event[i].watch || !e)
			continue;
		*w = (struct mdl_watch){
		    .cmask = event[i].cmask, .is_inverted = event[i].inv, .is_edge = event[i].edge};
		for (unsigned j = 0; j < e->n_wire && w->n_wire < MDL_WATCH_WIRES; j++)
			if (pmu_selects(&e->wire[j], event[i].umask))
				w->wire[w->n_wire++] = e->wire[j].wire;
		if (event[i].watch > out->p6.n_watch)
			out->p6.n_watch = event[i].watch;
	}
}

uint64_t ses_unseen(struct mdl *m, const struct evt_event *e, uint32_t id)
{
	const struct pmu_select s = evt_select(e);
	uint64_t n = 0;

	for (unsigned i = 0; e->event && i < e->event->n_wire; i++) {
		const struct cat_reading r = pmu_reading_of(&s, e->event->wire[i].wire);

		if (!pmu_selects(&e->event->wire[i], e->umask) || r.wire >= WIRE_N)
			continue;
		n += mdl_unseen(m, id, r.other) -
		     (r.minus < WIRE_N ? mdl_unseen(m, id, r.minus) : 0);
	}
	return n;
}

/* Find out which wires a model of cpu drives if those of wanted[] are wanted. If the model cannot
 * be opened, none is driven. */
static void probe(const struct cat_cpu *cpu, const uint8_t *wanted, struct wires *w)
{
	struct mdl_config *cfg = calloc(1, sizeof(*cfg));
	struct x86_store *store = NULL;
	struct mdl *m = NULL;

	if (!cfg || x86_store_open(&store))
		goto done;
	cfg->cpu = cpu;
	cfg->store = store;
	cfg->has_walks = 1;
	memcpy(cfg->wanted, wanted, sizeof(cfg->wanted));
	if (mdl_open(cfg, w, &m))
		m = NULL; /* no model of this family */
	mdl_close(m);
done:
	x86_store_close(store);
	free(cfg);
}

int ses_tier_of(const struct cat_cpu *cpu, const struct evt_event *event, size_t n)
{
	uint8_t wanted[WIRE_N] = {0};
	bool is_of_tier[4] = {false};
	struct wires *w;
	const struct cat_wire *wires;
	size_t n_wires;
	int tier;

	ses_wanted_wires(event, n, wanted);
	wires = cat_wires(&n_wires);
	for (size_t i = 0; i < n_wires && i < WIRE_N; i++)
		if (wanted[i])
			is_of_tier[wires[i].tier & 3] = true;
	tier = is_of_tier[2] ? 2 : 1;
	if (!is_of_tier[3])
		return tier;
	w = calloc(1, sizeof(*w));
	if (!w)
		return 2; /* counts everything that tier 1 counts */
	probe(cpu, wanted, w);
	for (size_t i = 0; i < n_wires && i < WIRE_N; i++)
		if (wires[i].tier == 3 && w->driven[i])
			tier = 3;
	free(w);
	return tier;
}

void ses_event_statuses(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
			struct evt_count *count)
{
	uint8_t wanted[WIRE_N];
	struct wires *w = calloc(1, sizeof(*w));

	for (size_t i = 0; i < n; i++)
		count[i] = (struct evt_count){.status = EVT_NOT_MODELLED, .why = "out of memory"};
	if (!w)
		return;
	memset(wanted, 1, sizeof(wanted));
	probe(cpu, wanted, w);
	ses_count_events(cpu, event, n, w, count);
	free(w);
}

struct evt_count ses_event_status(const struct cat_cpu *cpu, const struct evt_event *e)
{
	struct evt_count count;

	ses_event_statuses(cpu, e, 1, &count);
	return count;
}

const char *ses_register_text(const struct cat_cpu *cpu, const struct evt_event *e, char *out,
			      size_t room)
{
	struct pmu_select s = evt_select(e);
	unsigned counter = e->event && !(e->event->counters & 1) ? 1 : 0;

	s.kernel = false; /* softpmu counts user mode only */
	*out = 0;
	if (e->event && !e->event->counters && e->event->code >= 0x1f0)
		return out;
	if (e->event && !e->event->counters) {
		snprintf(out, room, "register %02xH", e->code & 0xffu);
		return out;
	}
	if (cpu->family == CAT_P6)
		snprintf(out, room, "PerfEvtSel 0x%08x (r%02x%02x)", pmu_p6_encode(&s), e->umask,
			 e->code);
	else if (cpu->family == CAT_P5)
		snprintf(out, room, "CESR 0x%08x (counter %u)",
			 pmu_p5_encode(&s, counter, e->event && e->event->kind == CAT_DURATION),
			 counter);
	return out;
}
