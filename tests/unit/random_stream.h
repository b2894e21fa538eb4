/* random_stream.h -- streams of the P6 made at random, the same for the same seed. */
#ifndef SOFTPMU_TESTS_RANDOM_STREAM_H
#define SOFTPMU_TESTS_RANDOM_STREAM_H

#include "stream.h"

enum random_flag {
	RANDOM_REAL = 1,  /* as programs do, execution goes on behind a block or at its target */
	RANDOM_EXEC = 2,  /* now and then the process replaces its program */
	RANDOM_APART = 4, /* no byte of code lies in two blocks */
};

/* A new stream of n_steps executions and the events between them. */
void random_stream(struct stream *s, uint64_t seed, unsigned n_steps, unsigned flags);

#endif
