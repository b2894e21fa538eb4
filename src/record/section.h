/* section.h -- the head of a section of a record file (file.h). */
#ifndef SOFTPMU_RECORD_SECTION_H
#define SOFTPMU_RECORD_SECTION_H

#include <stdint.h>

#define REC_MAGIC	    "SPMUREC\1"
#define REC_SECTION_VERSION 2u

enum rec_codec { REC_STORED, REC_ZSTD };

struct rec_section {
	char name[8];
	uint16_t version;
	uint8_t codec, zero;
	uint32_t crc;
	uint64_t raw, stored;
};
_Static_assert(sizeof(struct rec_section) == 32, "as it is in the file");

#endif
