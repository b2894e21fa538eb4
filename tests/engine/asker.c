/* asker SEED -- asks softpmu random questions in the runtime's place, by writing into the memory
 * that both share, and goes on calling the kernel meanwhile. What softpmu makes of it must be a
 * sentence or counts.
 */
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"
#include "trace/share.h"

static uint64_t value(void)
{
	switch (draw() % 6) {
	case 0: return 0;
	case 1: return draw() % 4;
	case 2: return draw() % 5000;
	case 3: return ~0ull - draw() % 3;
	case 4: return (uint64_t)&value & ~0xfffull;
	default: return draw();
	}
}

/* What is in the box is asked; who gets no answer goes on soon. */
static void send(struct shr_ctl *c)
{
	struct timespec t = {0, 1000000};

	__atomic_store_n(&c->req.state, REQ_ASKED, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&c->doorbell, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &c->doorbell, FUTEX_WAKE, 100, NULL, NULL, 0);
	for (int i = 0; i < 50 && __atomic_load_n(&c->req.state, __ATOMIC_SEQ_CST) == REQ_ASKED;
	     i++)
		nanosleep(&t, NULL);
	__atomic_store_n(&c->req.state, REQ_IDLE, __ATOMIC_SEQ_CST);
}

/* The topmost page of all: nothing comes behind it. */
static void forget_top(struct shr_ctl *c)
{
	static const uint64_t args[][2] = {
	    {~0ull, 0}, {~0ull - 4096, 4096}, {~0ull - 1, 1}, {~0xfffull, ~0ull}};

	for (unsigned i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		c->req.op = REQ_INVALIDATE;
		memcpy(c->req.arg, args[i], sizeof(args[i]));
		send(c);
	}
}

static void ask(struct shr_ctl *c, uint32_t op)
{
	struct req_box *b = &c->req;

	b->op = op;
	for (int i = 0; i < 4; i++)
		b->arg[i] = value();
	b->n_pages = (uint32_t)(draw() % 3 ? draw() % 20 : value());
	for (unsigned i = 0; i < REQ_MAX_PAGES; i++) {
		b->page_addr[i] = value();
		b->page_flags[i] = (uint32_t)value();
	}
	for (unsigned i = 0; i < sizeof(b->text); i++)
		b->text[i] = (char)draw();
	for (unsigned i = 0; i < 64; i++)
		((uint64_t *)b->pages)[draw() % (sizeof(b->pages) / 8)] = value();
	send(c);
}

int main(int argc, char **argv)
{
	const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
	struct shr_ctl *c = (struct shr_ctl *)SHR_CTL_BASE;

	draw_from(seed);
	forget_top(c);
	for (int i = 0; i < 25; i++) {
		const uint32_t op = (uint32_t)(draw() % 34);

		if (op != REQ_REFUSE || draw() % 8 == 0)
			ask(c, op);
		if (i % 5 == 0)
			puts("still here");
	}
	return 0;
}
