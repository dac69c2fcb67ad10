/* fuzz_tagged.c - random bytes as tagged columns, their chunks scored with every option.
 *
 * The first two bytes select the options; the rest is the file. Either it is refused with a
 * message, or the counts of chunks agree with each other, and the same labels in another scheme
 * give the same counts. */

#include <math.h>

#include "eval/scores.h"
#include "text/convert_scheme.h"

#include "fuzz.h"

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
    const cau_prf all[] = {s->micro, s->macro, s->weighted};
    for (size_t i = 0; i < 3; i++) {
        require(!(all[i].precision < 0) && !(all[i].precision > 1 + 1e-12));
        require(!(all[i].recall < 0) && !(all[i].recall > 1 + 1e-12));
        require(!(all[i].f1 < 0) && !(all[i].f1 > 1 + 1e-12));
    }
}

/* Scores a file and reports it in all forms; NULL if it is refused. */
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
        (void)cau_scores_write(ctx, scores, &options, limited_write, &left);
    }
    return scores;
}

/* The file in another scheme has the same chunks and no illegal label. If some tokens are not
 * counted, the labels around them may be illegal. */
static void check_rescheme(caucus_ctx *ctx, const caucus_scores *before, const char *path,
                           cau_scheme_name scheme, bool all_counted)
{
    memory_file other = memory_file_new(NULL, 0);
    const cau_rescheme_options to = {.to = scheme, .columns = 2};
    if (!cau_rescheme(ctx, &to, path, other.path)) {
        caucus_scores *after = score(ctx, (cau_eval_options){.scheme = (int)scheme}, other.path);
        require(after && after->chunks);
        const cau_counts a = before->chunks->all, b = after->chunks->all;
        require(a.gold == b.gold && a.found == b.found && a.correct == b.correct);
        if (all_counted && after->skipped == 0)
            require(after->chunks->illegal[0] == 0 && after->chunks->illegal[1] == 0);
        cau_scores_free(after);
    }
    close(other.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const delimiters[] = {NULL, NULL, " ", "\t"};
    if (size < 2) return 0;
    memory_file file = memory_file_new(bytes + 2, size - 2);
    caucus_ctx *ctx = new_context();

    const char *path = file.path;
    const cau_eval_options options = {
        .scheme = bytes[0] % 6,
        .strict = bytes[0] & 0x20,
        .raw = bytes[0] & 0x40,
        .outside = bytes[0] & 0x80 ? "OTHER" : NULL,
        .delimiter = delimiters[bytes[1] % 4],
        .latex = (bytes[1] & 12) == 12,
        .conlleval = (bytes[1] & 12) == 12,
        .confusion = bytes[1] & 0x10,
        .known = {bytes[1] & 0x20 ? 1 : 0, &path},
        .against = {bytes[1] & 0x40 ? 1 : 0, &path},
        .resamples = 100,
        .bins = 5,
        .threads = 1,
    };
    cau_scores_free(score(ctx, options, path));

    caucus_scores *plain = score(ctx, (cau_eval_options){0}, path);
    const bool boundaries = memmem(bytes, size, "-X-", 3) != NULL;
    const bool mixed = memchr(bytes, '\t', size) && memchr(bytes, ' ', size);
    if (plain && plain->chunks && !mixed) /* with TAB as the separator, blanks are text */
        check_rescheme(ctx, plain, path, (cau_scheme_name)(CAU_SCHEME_IOB1 + bytes[0] % 4),
                       !boundaries);
    cau_scores_free(plain);
    caucus_ctx_free(ctx);
    close(file.fd);
    return 0;
}
