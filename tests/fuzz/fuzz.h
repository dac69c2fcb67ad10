/* fuzz.h - functions that the fuzz targets share. */
#ifndef CAU_FUZZ_H
#define CAU_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "caucus.h"

/* The entry point of libFuzzer, and of replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* An assertion that no build option turns off. */
static inline void require(bool truth)
{
    if (!truth) abort();
}

/* A file in memory. Close fd to free it. */
typedef struct {
    int fd;
    char path[64];
} memory_file;

static inline memory_file memory_file_new(const void *bytes, size_t size)
{
    memory_file file = {.fd = memfd_create("fuzz", 0)};
    require(file.fd >= 0 && (size == 0 || write(file.fd, bytes, size) == (ssize_t)size));
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.fd);
    return file;
}

static inline caucus_ctx *new_context(void)
{
    caucus_ctx *ctx = NULL;
    require(!caucus_ctx_new(&ctx));
    return ctx;
}

/* A writer that stops after *left bytes: a confusion matrix of thousands of classes would take
 * minutes. */
static inline caucus_status limited_write(void *left, const char *bytes, size_t length)
{
    size_t *rest = left;
    if (length > *rest || (length && !bytes)) return CAUCUS_ERR_STOPPED;
    *rest -= length;
    return CAUCUS_OK;
}

#endif
