/* mates.h -- the counts of each of several processes in one memory (`stat --per-process`).
 *
 * They take turns on one machine (guest/threads/process.h). So the counts between two changes of
 * turn belong to one process. The first process of a memory has key 0 and no entry: counts of no
 * entry are its own.
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
	struct ses_mate *mate; /* the living processes, without the first; owned */
	uint32_t n, room;
	uint32_t now;	      /* key of the process whose turn it is */
	struct ses_totals at; /* the server's totals when this turn began */
};

/* The turn of the process with this key begins; parent: key of the process that started it. The
 * guest has handed over its chunk. Returns 0 or -SPMU_ENOMEM. */
int ses_mates_turn(struct ses_server *s, uint32_t key, uint32_t parent);

/* The process with this key has ended: send its counts to the first server. Returns 0 or
 * -SPMU_ENOMEM. */
int ses_mates_end(struct ses_server *s, uint32_t key);

/* The process whose turn it is executes another program. Move its name and counts to *as, for its
 * new server. Returns false if it is the first process, or without memory. */
bool ses_mates_leave(struct ses_server *s, struct ses_vfork *as);

/* Exclude *others, the counts of a vfork child in this memory, from the present turn. */
void ses_mates_skip(struct ses_server *s, const struct ses_totals *others);

/* Returns the process whose turn it is. */
struct ses_member *ses_mates_member(struct ses_server *s);

/* The guest has ended, and with it all of them: send their counts. Returns 0 or -SPMU_ENOMEM. */
int ses_mates_close(struct ses_server *s);

/* In a new server, whose guest is alone in its memory. */
void ses_mates_born(struct ses_server *s);

#endif
