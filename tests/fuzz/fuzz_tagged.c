/* fuzz_tagged.c - any bytes as tagged columns, their chunks scored in every way.
 *
 * The first two bytes pick the options; the rest is the file. Whatever it holds, it is refused
 * with a sentence, or the counts of chunks agree with each other; and labels that tell of chunks
 * still tell of as many, as many of them right, after they were written in another scheme. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eval/scores.h"
#include "text/convert_scheme.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool promise)
{
    if (!promise) abort();
}

/* Takes a megabyte, so that a matrix of thousands of classes does not take all day. */
static caucus_status take(void *user, const char *bytes, size_t length)
{
    size_t *left = user;
    if (length > *left || (length && !bytes)) return CAUCUS_ERR_STOPPED;
    *left -= length;
    return CAUCUS_OK;
}

static void check(const cau_chunk_scores *s)
{
    cau_counts sum = {0};
    for (size_t i = 0; i < s->n; i++) {
        const cau_counts c = s->type[i].counts;
        require(c.correct <= c.gold && c.correct <= c.found && c.gold + c.found > 0);
        sum.gold += c.gold;
        sum.found += c.found;
        sum.correct += c.correct;
    }
    require(sum.gold == s->all.gold && sum.found == s->all.found && sum.correct == s->all.correct);
    require(s->right <= s->tokens && s->right_inside <= s->inside && s->inside <= s->tokens);
    uint64_t sides[2] = {0};
    for (int side = CAU_GOLD; side <= CAU_FOUND; side++)
        for (int i = 0; i < CAU_CHUNK_OUTCOMES; i++) sides[side] += s->outcome[side][i];
    require(sides[CAU_GOLD] == sum.gold && sides[CAU_FOUND] == sum.found);
    require(s->outcome[CAU_GOLD][CAU_CHUNK_RIGHT] == sum.correct);
    require(s->outcome[CAU_FOUND][CAU_CHUNK_RIGHT] == sum.correct);
    const cau_chunk_average all[] = {s->micro, s->macro, s->weighted};
    for (size_t i = 0; i < 3; i++) {
        require(!(all[i].precision < 0) && !(all[i].precision > 1 + 1e-12));
        require(!(all[i].recall < 0) && !(all[i].recall > 1 + 1e-12));
        require(!(all[i].f1 < 0) && !(all[i].f1 > 1 + 1e-12));
    }
}

/* Scores a file and reports it in all forms; NULL when it is refused. */
static caucus_scores *score(caucus_ctx *ctx, cau_eval_options options, const char *path)
{
    caucus_scores *scores = NULL;
    const caucus_status st = cau_eval_check(ctx, &options);
    if (st || cau_scores_read(ctx, &options, &path, 1, &scores)) {
        require(caucus_message(ctx)[0]);
        return NULL;
    }
    if (scores->chunks) check(scores->chunks);
    for (int form = 0; form < 3; form++) {
        size_t left = 1 << 20;
        options.conlleval = form == 1;
        options.json = form == 2;
        if (form && options.latex) continue;
        (void)cau_scores_write(ctx, scores, &options, take, &left);
    }
    return scores;
}

/* The file in another scheme has the same chunks, and no illegal label. Where tokens are not
 * counted, labels around them may be illegal without them. */
static void check_rescheme(caucus_ctx *ctx, const caucus_scores *before, const char *path,
                           cau_scheme_name scheme, bool all_counted)
{
    char other[64];
    const int file = memfd_create("other", 0);
    require(file >= 0);
    snprintf(other, sizeof other, "/proc/self/fd/%d", file);
    const cau_rescheme_options to = {.to = scheme, .columns = 2};
    if (!cau_rescheme(ctx, &to, path, other)) {
        caucus_scores *after = score(ctx, (cau_eval_options){.scheme = (int)scheme}, other);
        require(after && after->chunks);
        const cau_counts a = before->chunks->all, b = after->chunks->all;
        require(a.gold == b.gold && a.found == b.found && a.correct == b.correct);
        if (all_counted && after->skipped == 0)
            require(after->chunks->illegal[0] == 0 && after->chunks->illegal[1] == 0);
        cau_scores_free(after);
    }
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const delimiters[] = {NULL, NULL, " ", "\t"};
    if (size < 2) return 0;
    char path[64];
    const int file = memfd_create("tagged", 0);
    require(file >= 0 && write(file, bytes + 2, size - 2) == (ssize_t)(size - 2));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    caucus_ctx *ctx = NULL;
    require(!caucus_ctx_new(&ctx));

    const char *same = path;
    const cau_eval_options options = {
        .scheme = bytes[0] % 6,
        .strict = bytes[0] & 0x20,
        .raw = bytes[0] & 0x40,
        .outside = bytes[0] & 0x80 ? "OTHER" : NULL,
        .delimiter = delimiters[bytes[1] % 4],
        .latex = (bytes[1] & 12) == 12,
        .conlleval = (bytes[1] & 12) == 12,
        .confusion = bytes[1] & 0x10,
        .known = {bytes[1] & 0x20 ? 1 : 0, &same},
        .against = {bytes[1] & 0x40 ? 1 : 0, &same},
        .resamples = 100,
        .bins = 5,
        .threads = 1,
    };
    cau_scores_free(score(ctx, options, path));

    caucus_scores *plain = score(ctx, (cau_eval_options){0}, path);
    const bool boundaries = memmem(bytes, size, "-X-", 3) != NULL;
    const bool mixed = memchr(bytes, '\t', size) && memchr(bytes, ' ', size);
    if (plain && plain->chunks && !mixed) /* where TAB separates, evaluation takes blanks as text */
        check_rescheme(ctx, plain, path, (cau_scheme_name)(CAU_SCHEME_IOB1 + bytes[0] % 4),
                       !boundaries);
    cau_scores_free(plain);
    caucus_ctx_free(ctx);
    close(file);
    return 0;
}
