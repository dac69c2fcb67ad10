/* fuzz_rescheme.c - any bytes as columns, their labels in another scheme and in a third.
 *
 * The first byte picks the schemes and how many columns are labels; the rest is the file. Whatever
 * it holds, it is refused with a sentence, or no byte is added or lost, and the way through another
 * scheme leads to the same file as the direct one: the chunks did not change on it. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text/convert_scheme.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool promise)
{
    if (!promise) abort();
}

/* A file in memory, by a path. */
typedef struct {
    int fd;
    char path[64];
} place;

static place place_new(void)
{
    place p = {.fd = memfd_create("columns", 0)};
    require(p.fd >= 0);
    snprintf(p.path, sizeof p.path, "/proc/self/fd/%d", p.fd);
    return p;
}

/* Writes the bytes without CR and byte-order marks. One of them goes on each way, so that what has
 * two of them in a row is another file each time. */
static void fill(const place *p, const uint8_t *bytes, size_t size)
{
    uint8_t *plain = malloc(size + 1);
    require(plain);
    for (size_t i = 0; i < size; i++)
        plain[i] = bytes[i] == '\r' || bytes[i] == 0xEF ? ' ' : bytes[i];
    require(write(p->fd, plain, size) == (ssize_t)size);
    free(plain);
}

static char *read_back(const place *p, size_t *size)
{
    const off_t end = lseek(p->fd, 0, SEEK_END);
    require(end >= 0);
    char *bytes = malloc((size_t)end + 1);
    require(bytes && pread(p->fd, bytes, (size_t)end, 0) == (ssize_t)end);
    *size = (size_t)end;
    return bytes;
}

static void require_same(const place *a, const place *b)
{
    size_t n, m;
    char *of_a = read_back(a, &n), *of_b = read_back(b, &m);
    require(n == m && memcmp(of_a, of_b, n) == 0);
    free(of_a);
    free(of_b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0) return 0;
    /* io is left out on the way: it forgets where chunks touch. */
    const cau_rescheme_options to = {.to = (cau_scheme_name)(CAU_SCHEME_IO + bytes[0] % 5),
                                     .columns = 1 + bytes[0] / 20 % 3};
    const cau_rescheme_options over = {.to = (cau_scheme_name)(CAU_SCHEME_IOB1 + bytes[0] / 5 % 4),
                                       .columns = to.columns};
    place file = place_new(), direct = place_new(), way = place_new(), round = place_new();
    caucus_ctx *ctx = NULL;
    require(!caucus_ctx_new(&ctx));
    fill(&file, bytes + 1, size - 1);

    const caucus_status st = cau_rescheme(ctx, &to, file.path, direct.path);
    if (st) {
        require(st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]);
    } else {
        require(!cau_rescheme(ctx, &over, file.path, way.path));
        require(lseek(way.fd, 0, SEEK_END) == lseek(direct.fd, 0, SEEK_END));
        require(!cau_rescheme(ctx, &to, way.path, round.path));
        require_same(&direct, &round);
    }
    caucus_ctx_free(ctx);
    close(file.fd);
    close(direct.fd);
    close(way.fd);
    close(round.fd);
    return 0;
}
