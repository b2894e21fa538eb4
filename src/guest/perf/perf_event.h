/* perf_event.h -- descriptors of performance events, which behave as the kernel's would.
 *
 * An event's descriptor is one end of a socket whose other end softpmu holds. So dup, fork, exec,
 * close-on-exec, poll and passing a descriptor on are the kernel's work, and softpmu sees its end
 * close when the last descriptor is closed. An event is named by the socket's inode; the runtime
 * keeps no table of its own that exec would lose.
 */
#ifndef SOFTPMU_GUEST_PERF_EVENT_H
#define SOFTPMU_GUEST_PERF_EVENT_H

#include <stdint.h>

struct gst;

#define GST_NO_EVENT (-20001l) /* the descriptor is not an event's: go on as usual */

/* Sockets whose kind is remembered, so that softpmu is asked once about each. */
#define GST_EVENT_CACHE 64u
/* An event's descriptor in an epoll instance, and what the program calls it there. */
#define GST_EVENT_WATCHES 32u
struct gst_event_watch {
	int is_used;
	int32_t epoll, fd;
	uint64_t key, data;
	int is_once; /* EPOLLET or EPOLLONESHOT: the program sees EPOLLHUP of it once ... */
	int is_told; /* ... and has seen it */
};

struct gst_events {
	uint64_t key[GST_EVENT_CACHE]; /* inode; by its low bits */
	uint8_t is_event[GST_EVENT_CACHE];
	/* Overflows that are signals: how far the program may run before softpmu is asked again. */
	int is_refused; /* the user has read that overflows make no signals here */
	int is_armed;
	int has_heads;	/* softpmu has been asked for code that can be stopped before each block */
	int steps;	/* instruction by instruction */
	uint64_t more;	/* instructions until the next question */
	uint64_t head;	/* 1 + the block at whose head the program stands; 0: not known */
	uint64_t limit; /* of the record pointer: from here on each block takes from shr_ctl.room */
	uint64_t n_waits; /* of the current system call, with shr_ctl.wants_switches */
	uint64_t ended;	  /* key of an event whose last overflow was its end, 0 = none */
	struct gst_event_watch watch[GST_EVENT_WATCHES];
};

/* read(2), ioctl(2), mmap(2) of an event's descriptor. Each returns GST_NO_EVENT if fd is not an
 * event. Cost: nothing as long as the program has opened no event; then an fstat(2) per call. */
long gst_event_read(struct gst *g, uint64_t fd, uint64_t to, uint64_t room);
long gst_event_ioctl(struct gst *g, const uint64_t *a);
long gst_event_mmap(struct gst *g, const uint64_t *a);

/* [lo, hi) is about to be unmapped or mapped anew: tell softpmu that pages and rings of events in
 * it are gone. Cost: nothing as long as the program has opened no event; then a look at the
 * mappings there. */
void gst_event_unmap(struct gst *g, uint64_t lo, uint64_t hi);

/* In the child of a fork: the kernel has left pages and rings out of its memory. */
void gst_event_child(struct gst *g);

/* Returns 1 if fd is an event of the run. */
int gst_is_event(struct gst *g, uint64_t fd);

/* Returns the key of event fd, its socket's inode; 0 if fd is not an event. */
uint64_t gst_event_key(struct gst *g, uint64_t fd);

/* Returns 1 if the socket with this inode is an event of the run. Cost: a question to softpmu, once
 * for each inode. */
int gst_event_knows(struct gst *g, uint64_t key);

/* Returns 1 when event fd, or the event that its output goes to, has a ring that is mapped. */
int gst_event_has_ring(struct gst *g, uint64_t fd);

/* ---- perf_descriptor.c: an event's descriptor in calls that are not about events. Unless said
 * otherwise they cost nothing as long as the program has opened no event */

/* Answer a call, words[] = number and arguments, before it is made. Returns the answer, or
 * GST_NO_EVENT if the call must be made as usual. */
long gst_event_first(struct gst *g, const uint64_t *words);

/* A call such as fstat(2) asks about an event's file. gst_event_shown() puts an anonymous inode of
 * the kernel's in its place in words[], and returns its descriptor, or -1 when there is nothing to
 * do; gst_event_unshown() closes it after the call. */
int gst_event_shown(struct gst *g, uint64_t *words);
void gst_event_unshown(int fd);

/* readlink of `path` has put `bytes` bytes at address `told` of the program. Returns 1 when they
 * name a socket that is an event of the run; the program is to see GST_EVENT_LINK then. Cost: a
 * system call when they name any socket. */
#define GST_EVENT_LINK "anon_inode:[perf_event]"
int gst_event_is_linked(struct gst *g, int32_t directory, uint64_t path, uint64_t told, long bytes);

/* ---- perf_event.c ---- */

/* The limit of the record pointer was reached before `block` (or REQ_PERF_NO_BLOCK: an
 * instruction was stepped over): ask for more. A signal may wait afterwards. */
void gst_event_credit(struct gst *g, uint64_t block);

/* The program is about to go on: with wants_heads its code must be such that it can be stopped
 * before each block. Returns 1 when all translations were forgotten for that. */
int gst_event_heads(struct gst *g);

/* The limit was reached before `block`, which is entered at its head. Returns 1 if it may be
 * executed without asking, and takes its bound off shr_ctl.room. */
int gst_event_has_room(struct gst *g, uint32_t block);

/* The program's registers, callers and stack, as shr_ctl.wants_state and wants_stack ask for
 * them, into the box. The program stands at an instruction boundary. */
void gst_event_state(struct gst *g);

/* softpmu's answer may name threads in which events with sigtrap have overflowed (shr_ctl.trap):
 * send them their signals. */
void gst_event_traps(struct gst *g);

/* The program goes on somewhere else, in another thread or in a handler: ask at its next
 * boundary. */
void gst_event_turns(struct gst *g);

/* A signal is about to be delivered: one of an event's descriptor is what the kernel says of a
 * socket (POLL_IN), and becomes what it says of an event. */
struct gst_siginfo;
void gst_event_signal(struct gst *g, struct gst_siginfo *info);

/* The chunk was handed over: the limit goes on in the new one, whose record pointer is `to`. */
void gst_event_moves(struct gst *g, uint64_t from, uint64_t to);

/* fcntl(F_SETFL) of fd succeeded. */
void gst_event_flags(struct gst *g, uint64_t fd, uint64_t flags);

/* Call words[] (number, then arguments) has returned ret. Takes away the wake-ups of events that
 * the call has reported, and has a process that received descriptors look at them from now on
 * (perf_poll.c). */
void gst_event_after(struct gst *g, const uint64_t *words, long ret);

/* Take the wake-ups of an event's descriptor away. */
void gst_event_drain(uint64_t fd);

/* Descriptors of events were closed: ask REQ_PERF_CLOSED, so that events without one end. */
void gst_event_closed(struct gst *g);

/* prctl(2): start or stop all events that the current thread has opened. */
void gst_event_task(struct gst *g, int is_on);

/* The program's only thread has waited g->events.n_waits times in the system call that ends here:
 * ask REQ_PERF_WAITED. */
void gst_event_waited(struct gst *g);

/* Thread `parent` of the program has started thread `child`. */
void gst_event_thread(struct gst *g, uint32_t parent, uint32_t child, uint32_t tid);

/* The name of the current thread has changed. */
void gst_event_named(struct gst *g);

/* Thread `number` of the program ends; others go on. */
void gst_event_gone(struct gst *g, uint32_t number);

#endif
