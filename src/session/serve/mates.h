/* mates.h -- what processes in one memory have counted, each for itself (`stat --per-process`).
 *
 * They take turns on one machine (guest/threads/process.h), so that what is counted from one
 * change of turn between two of them to the next is one's own. The first process of a memory has
 * key 0 and no entry: what is no other's is its.
 * NOT MODELLED   threads (--per-thread) and regions are listed under the first process.
 */
#ifndef SOFTPMU_SESSION_MATES_H
#define SOFTPMU_SESSION_MATES_H

#include "session/serve/family.h"

struct ses_server;
struct ses_vfork;

struct ses_mate {
	uint32_t key; /* number of its first thread */
	struct ses_member member;
	struct ses_totals totals;
};

struct ses_mates {
	struct ses_mate *mate;   /* the living, but for the first process; owned */
	uint32_t n, room;
	uint32_t now;            /* whose turn it is */
	struct ses_totals at;    /* totals when that began; all 0: at the beginning */
};

/* It is the turn of the process with this key; parent: who started it. The guest has handed over
 * its chunk. Returns 0 or -SPMU_ENOMEM. */
int ses_mates_turn(struct ses_server *s, uint32_t key, uint32_t parent);

/* The process with this key is gone: the family learns what it counted. Returns as above. */
int ses_mates_end(struct ses_server *s, uint32_t key);

/* Who runs executes another program, and its new server goes on with its name and what it has
 * counted. Returns false when it is the first process. */
bool ses_mates_leave(struct ses_server *s, struct ses_vfork *as);

/* What a process in this memory that is none of the mates' own has counted: a vfork child's. */
void ses_mates_skip(struct ses_server *s, const struct ses_totals *others);

/* Who runs just now. */
struct ses_member *ses_mates_member(struct ses_server *s);

/* The guest is gone: all of them are. */
int ses_mates_close(struct ses_server *s);

/* A new server: its guest is alone in its memory. */
void ses_mates_born(struct ses_server *s);

#endif
