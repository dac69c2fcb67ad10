/* doctor.h - says what is in a file of data, and what is probably wrong with it. */

#ifndef CAU_DOCTOR_DOCTOR_H
#define CAU_DOCTOR_DOCTOR_H

#include "text/reader.h"

typedef struct {
    const char *test; /* a file that is compared with the data; NULL: none */
    uint64_t rare;    /* labels with fewer instances are rare */
    bool json;
} cau_doctor_options;

/* Surveys a file, and the test file, and writes a report. docs/doctor.md describes it. */
caucus_status cau_doctor(caucus_ctx *ctx, const cau_doctor_options *options,
                         const cau_read_options *read, unsigned threads, const char *path,
                         caucus_write_fn *write, void *user);

#endif
