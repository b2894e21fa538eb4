/* gzip.h -- bytes as a gzip file (RFC 1952), stored, not made smaller. */
#ifndef SOFTPMU_CLI_EXPORT_GZIP_H
#define SOFTPMU_CLI_EXPORT_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Errors of `out` are the caller's to look for. */
void cli_put_gzip(const uint8_t *bytes, size_t n, FILE *out);

#endif
