/* read_megam.c - MegaM's lines, with implicit or explicit features.
 *
 *     spam win prize now                  a feature holds for all classes
 *     spam $$$WEIGHT 2 win 1.5 now 0.25   with values
 *     1 # bad mean # good kind            explicit: those of class 0, then those of class 1
 *     DEV                                 from here on the dev set
 *     # a comment
 *
 * A line is explicit if a '#' follows the label and its directives; then all lines must be
 * explicit. Explicit classes are named 0, 1, ... like their sections, so the label is one of these
 * numbers or '?'. */

#include "base/status.h"
#include "text/formats.h"

/* Reads all directives: "$$$WEIGHT w", "$$$TASK n" and "$$$OUTOFDOMAIN". */
static caucus_status directives(caucus_ctx *ctx, cau_reader *r, cau_str *rest)
{
    caucus_status st = CAUCUS_OK;
    cau_str token, after = *rest;
    while (cau_token(&after, &token)) {
        if (cau_is_text(token, "$$$WEIGHT")) {
            cau_token(&after, &token);
            TRY(cau_reader_weight(ctx, r, "$$$WEIGHT", token, &r->now.weight));
        } else if (cau_is_text(token, "$$$TASK") || cau_is_text(token, "$$$OUTOFDOMAIN")) {
            if (!r->noted)
                cau_note(ctx, CAU_AT "%.*s is for adaptation and is ignored", CAU_AT_ARGS(r->lines),
                         CAU_SHOWN(token));
            r->noted = true;
            if (token.s[3] == 'T') cau_token(&after, &token);
        } else {
            break;
        }
        *rest = after;
    }
done:
    return st;
}

/* Adds the feature `name`, whose value follows in *rest with the option `values`. */
static caucus_status add_feature(caucus_ctx *ctx, cau_reader *r, cau_str name, cau_str *rest)
{
    caucus_status st = CAUCUS_OK;
    double value = 1;
    if (cau_is_text(name, "$$$WEIGHT"))
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "$$$WEIGHT among the features; move it right after the label",
                     CAU_AT_ARGS(r->lines)));
    if (r->options.values) {
        cau_str text;
        if (!cau_token(rest, &text) || cau_is_text(text, "#"))
            TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                         CAU_AT "feature '%.*s' has no value; with --values each feature is "
                                "followed by one",
                         CAU_AT_ARGS(r->lines), CAU_SHOWN(name)));
        TRY(cau_reader_value(ctx, r, name, text, &value));
    }
    TRY(cau_reader_add(ctx, r, name, value));
done:
    return st;
}

/* Compares the number of sections with earlier lines; 1 for an implicit line. */
static caucus_status check_sections(caucus_ctx *ctx, cau_reader *r, size_t sections)
{
    const size_t want = r->shape.sections;
    r->shape.sections = sections;
    if (want == 0 || want == sections) return CAUCUS_OK;
    if (sections == 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "no '#' after the label, but earlier lines have %zu sections; "
                               "write all lines in one form",
                        CAU_AT_ARGS(r->lines), want);
    if (want == 1)
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "'#' sections, but earlier lines have none; write all lines in "
                               "one form",
                        CAU_AT_ARGS(r->lines));
    return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                    CAU_AT "%zu sections, but earlier lines have %zu; each needs one '#' for "
                           "every class",
                    CAU_AT_ARGS(r->lines), sections, want);
}

/* Reads "# features # features ...", the first '#' cut off already. */
static caucus_status explicit_features(caucus_ctx *ctx, cau_reader *r, cau_str rest)
{
    caucus_status st = CAUCUS_OK;
    cau_str token, *label = &r->now.label;
    uint64_t number;
    while (cau_token(&rest, &token))
        TRY(cau_is_text(token, "#") ? cau_reader_group(ctx, r) : add_feature(ctx, r, token, &rest));

    const size_t sections = r->block.rows;
    if (sections == 1)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "a single '#' section; write one for every class, at least two",
                     CAU_AT_ARGS(r->lines)));
    TRY(check_sections(ctx, r, sections));
    if (cau_is_text(*label, "?")) return CAUCUS_OK;
    if (!cau_parse_count(label->s, label->n, &number) || number >= sections)
        TRY(cau_fail(ctx, CAUCUS_ERR_FORMAT,
                     CAU_AT "label '%.*s' is none of the sections 0 to %zu; correct it",
                     CAU_AT_ARGS(r->lines), CAU_SHOWN(*label), sections - 1));
    while (label->n > 1 && label->s[0] == '0') label->s++, label->n--;
done:
    return st;
}

/* Whether a line is a comment, blank, or DEV or TEST alone, which starts that part. */
static bool is_no_instance(cau_reader *r, cau_str line)
{
    cau_str rest = line, first, second;
    if (line.n && line.s[0] == '#') return true;
    if (!cau_token(&rest, &first)) return true;
    if (cau_token(&rest, &second)) return false;
    if (cau_is_text(first, "DEV"))
        r->part = CAU_PART_DEV;
    else if (cau_is_text(first, "TEST"))
        r->part = CAU_PART_TEST;
    else
        return false;
    return true;
}

caucus_status cau_megam_line(caucus_ctx *ctx, cau_reader *r, cau_str line, cau_line_kind *kind)
{
    caucus_status st = CAUCUS_OK;
    if (is_no_instance(r, line)) {
        *kind = CAU_LINE_NOTHING;
        return CAUCUS_OK;
    }

    cau_str rest = line, token;
    cau_token(&rest, &r->now.label);
    if (cau_is_text(r->now.label, "$$$WEIGHT")) {
        r->now.label = (cau_str){NULL, 0};
        rest = line;
    }
    TRY(directives(ctx, r, &rest));

    const cau_str features = rest;
    if (cau_token(&rest, &token) && cau_is_text(token, "#")) return explicit_features(ctx, r, rest);
    TRY(check_sections(ctx, r, 1));
    rest = features;
    while (cau_token(&rest, &token)) TRY(add_feature(ctx, r, token, &rest));
done:
    return st;
}
