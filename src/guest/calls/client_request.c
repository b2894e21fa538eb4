/* client_request.c -- regions of the program by client requests.
 *
 * RULE     Callgrind's and Cachegrind's requests name the regions "collect" (TOGGLE_COLLECT) and
 *          "instrumentation" (START and STOP); a dump has the name that the program gives, else
 *          "dump". softpmu's own begin and end any region by name. The answer is 0, or -1 when the
 *          region does not exist; every other request gets the default answer that the program
 *          passed along, so RUNNING_ON_VALGRIND is 0.
 * SOURCES  callgrind.h of Valgrind 3.19: requests in the order of the enum; cachegrind.h of
 *          3.22.
 */
#include "guest/calls/client_request.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"

#define TOOL(a, b) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16)
#define NAME_BYTES 64u

enum { RAX = 0, RDX = 2 };

static const struct {
	uint32_t code;
	uint32_t what; /* enum req_region */
	char name[16]; /* "": argument 1, if any */
} requests[] = {
    {TOOL('C', 'T') + 0, REQ_REGION_DUMP, "dump"},
    {TOOL('C', 'T') + 1, REQ_REGION_ZERO, ""},
    {TOOL('C', 'T') + 2, REQ_REGION_TOGGLE, "collect"},
    {TOOL('C', 'T') + 3, REQ_REGION_DUMP, ""},
    {TOOL('C', 'T') + 4, REQ_REGION_START, "instrumentation"},
    {TOOL('C', 'T') + 5, REQ_REGION_STOP, "instrumentation"},
    {TOOL('C', 'G') + 0, REQ_REGION_START, "instrumentation"},
    {TOOL('C', 'G') + 1, REQ_REGION_STOP, "instrumentation"},
    {TOOL('S', 'P') + 0, REQ_REGION_START, ""},
    {TOOL('S', 'P') + 1, REQ_REGION_STOP, ""},
    {TOOL('S', 'P') + 2, REQ_REGION_RESET, ""},
    {TOOL('S', 'P') + 3, REQ_REGION_GET, ""},
};

/* The program's string at `at`, or what can be read of its begin. */
static void copy_name(char *out, uint64_t at)
{
	unsigned i = 0;

	while (i + 1 < NAME_BYTES && gst_copy_in(&out[i], at + i, 1) == 0 && out[i])
		i++;
	out[i] = 0;
}

/* The answer to GET goes where arguments 2 to 4 say: counts as doubles, how many there is room
 * for, and three words of 8 bytes: events, times, seconds. */
static void copy_counts(struct gst *g, uint64_t words)
{
	const unsigned word = g->layout.word;
	const struct req_box *b = &g->ctl->req;
	const uint64_t head[3] = {b->result[1], b->result[0], b->result[2]};
	uint64_t counts = 0, room = 0, to = 0, n = b->result[1];

	if (gst_copy_in(&counts, words + 2 * word, word) ||
	    gst_copy_in(&room, words + 3 * word, word) || gst_copy_in(&to, words + 4 * word, word))
		return;
	n = n < room ? n : room;
	if (n <= REQ_PAGE_BYTES / 8)
		gst_copy_out(counts, b->pages[0], 8 * n);
	gst_copy_out(to, head, sizeof(head));
}

void gst_client_request(struct gst *g)
{
	const unsigned word = g->layout.word;
	uint64_t code = 0, name = 0, at = g->gs->gpr[RAX];
	struct req_box *b;

	if (!g->ctl->start.has_regions || gst_copy_in(&code, at, word) ||
	    gst_copy_in(&name, at + word, word))
		return;
	for (unsigned i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].code != code)
			continue;
		gst_ring_flush(g, 0);
		b = gst_ask_box(g);
		b->arg[0] = requests[i].what;
		b->arg[1] = g->t->number;
		if (requests[i].name[0])
			memcpy(b->text, requests[i].name, sizeof(requests[i].name));
		else
			copy_name(b->text, name);
		g->gs->gpr[RDX] = 0;
		if (gst_ask(g, REQ_REGION) != REQ_OK) /* the region does not exist */
			g->gs->gpr[RDX] = word == 4 ? 0xffffffffu : ~0ull;
		else if (requests[i].what == REQ_REGION_GET)
			copy_counts(g, at);
		return;
	}
}
