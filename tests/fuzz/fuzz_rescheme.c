/* fuzz_rescheme.c - random bytes as columns whose labels are converted to other schemes.
 *
 * The first byte selects the schemes and the number of label columns; the rest is the file. Either
 * it is refused with a message, or the conversion through another scheme gives the same file as the
 * direct one, because the chunks are the same, and both ways have the same number of bytes. */

#include "text/convert_scheme.h"

#include "fuzz.h"

/* A file of the bytes, blanks in place of CR and of the first byte of a byte-order mark: each
 * conversion removes one of them, so a file with two in a row would change with each conversion. */
static memory_file plain_file(const uint8_t *bytes, size_t size)
{
    uint8_t *plain = malloc(size + 1);
    require(plain);
    for (size_t i = 0; i < size; i++)
        plain[i] = bytes[i] == '\r' || bytes[i] == 0xEF ? ' ' : bytes[i];
    const memory_file file = memory_file_new(plain, size);
    free(plain);
    return file;
}

static char *read_back(const memory_file *p, size_t *size)
{
    const off_t end = lseek(p->fd, 0, SEEK_END);
    require(end >= 0);
    char *bytes = malloc((size_t)end + 1);
    require(bytes && pread(p->fd, bytes, (size_t)end, 0) == (ssize_t)end);
    *size = (size_t)end;
    return bytes;
}

static void require_same(const memory_file *a, const memory_file *b)
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
    /* io is not among the schemes between: it does not mark where adjacent chunks meet. */
    const cau_rescheme_options to = {.to = (cau_scheme_name)(CAU_SCHEME_IO + bytes[0] % 5),
                                     .columns = 1 + bytes[0] / 20 % 3};
    const cau_rescheme_options over = {.to = (cau_scheme_name)(CAU_SCHEME_IOB1 + bytes[0] / 5 % 4),
                                       .columns = to.columns};
    memory_file file = plain_file(bytes + 1, size - 1), direct = memory_file_new(NULL, 0),
                between = memory_file_new(NULL, 0), round = memory_file_new(NULL, 0);
    caucus_ctx *ctx = new_context();

    const caucus_status st = cau_rescheme(ctx, &to, file.path, direct.path);
    if (st) {
        require(st == CAUCUS_ERR_FORMAT && caucus_message(ctx)[0]);
    } else {
        require(!cau_rescheme(ctx, &over, file.path, between.path));
        require(lseek(between.fd, 0, SEEK_END) == lseek(direct.fd, 0, SEEK_END));
        require(!cau_rescheme(ctx, &to, between.path, round.path));
        require_same(&direct, &round);
    }
    caucus_ctx_free(ctx);
    close(file.fd);
    close(direct.fd);
    close(between.fd);
    close(round.fd);
    return 0;
}
