/* scheme.c - labels that tell where segments begin and end, and which may follow which.
 *
 * All schemes follow from two questions about a label: does it need a segment of its type to be
 * open before it, and does it leave one open that must go on? What iob2 and iobes say of I, and
 * iobes of B, is then one rule:
 *     y' may be followed by y if  needs(y)  implies  a segment of the type of y is open after y'
 *                            and  y' must go on  implies  y continues the type of y'.
 *
 *              needs an open one   leaves one open   must go on
 *     iob1     B                   B I
 *     iob2     I                   B I
 *     iobes    I E                 B I               B I
 *     bilou    I L                 B I               B I
 *     io                           I
 *
 * The first label of a sequence must not need an open segment, nor may the last have to go on. */

#include "apply/scheme.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#define PLACE(p) (1u << (p))

/* A letter and what it says. */
typedef struct {
    char letter;
    cau_place place;
} letter;

static const struct {
    const char *name, *looks;
    letter letters[8]; /* beside O */
    unsigned needs, goes_on;
} schemes[] = {
    [CAU_SCHEME_NONE] = {"none",
                         "O, B-, I-, M-, E-, L-, S- or U-TYPE",
                         {{'B', CAU_BEGIN},
                          {'I', CAU_INSIDE},
                          {'M', CAU_INSIDE},
                          {'E', CAU_END},
                          {'L', CAU_END},
                          {'S', CAU_SINGLE},
                          {'U', CAU_SINGLE}},
                         0,
                         0},
    [CAU_SCHEME_IOB1] =
        {"iob1", "O, B-TYPE or I-TYPE", {{'B', CAU_BEGIN}, {'I', CAU_INSIDE}}, PLACE(CAU_BEGIN), 0},
    [CAU_SCHEME_IOB2] = {"iob2",
                         "O, B-TYPE or I-TYPE",
                         {{'B', CAU_BEGIN}, {'I', CAU_INSIDE}},
                         PLACE(CAU_INSIDE),
                         0},
    [CAU_SCHEME_IOBES] = {"iobes",
                          "O, B-, I-, M-, E- or S-TYPE",
                          {{'B', CAU_BEGIN},
                           {'I', CAU_INSIDE},
                           {'M', CAU_INSIDE},
                           {'E', CAU_END},
                           {'S', CAU_SINGLE}},
                          PLACE(CAU_INSIDE) | PLACE(CAU_END),
                          PLACE(CAU_BEGIN) | PLACE(CAU_INSIDE)},
    [CAU_SCHEME_BILOU] = {"bilou",
                          "O, B-, I-, L- or U-TYPE",
                          {{'B', CAU_BEGIN}, {'I', CAU_INSIDE}, {'L', CAU_END}, {'U', CAU_SINGLE}},
                          PLACE(CAU_INSIDE) | PLACE(CAU_END),
                          PLACE(CAU_BEGIN) | PLACE(CAU_INSIDE)},
    [CAU_SCHEME_IO] = {"io", "O or I-TYPE", {{'I', CAU_INSIDE}}, 0, 0},
};

/* ---- labels -------------------------------------------------------------------------- */

static const char *type_of(const char *label)
{
    return label[1] ? label + 2 : "";
}

/* Takes a label apart; false when it is none of the scheme. */
static bool parse(cau_scheme_name name, const char *label, cau_place *place)
{
    if (label[0] == '\0' || (label[1] && (label[1] != '-' || !label[2]))) return false;
    *place = CAU_OUTSIDE;
    if (label[0] == 'O') return !label[1];
    for (const letter *l = schemes[name].letters; l->letter; l++)
        if (l->letter == label[0]) *place = l->place;
    return *place != CAU_OUTSIDE;
}

static caucus_status parse_labels(caucus_ctx *ctx, cau_scheme *scheme, const caucus_model *model,
                                  cau_scheme_name name)
{
    for (size_t y = 0; y < scheme->Y; y++) {
        const char *label = cau_model_label(model, y);
        if (!parse(name, label, &scheme->place[y])) {
            if (name == CAU_SCHEME_NONE)
                return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                                "label '%s' of the model is not of the form %s, so there are no "
                                "segments; leave --segments out",
                                label, schemes[name].looks);
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "label '%s' of the model is none of scheme %s, which has %s; take "
                            "another --scheme",
                            label, schemes[name].name, schemes[name].looks);
        }
        /* The few types of a model are compared one by one. O has none, and equals itself. */
        scheme->type[y] = (uint32_t)y;
        for (size_t before = y; before-- > 0;)
            if ((scheme->place[before] == CAU_OUTSIDE) == (scheme->place[y] == CAU_OUTSIDE) &&
                strcmp(type_of(cau_model_label(model, before)), type_of(label)) == 0)
                scheme->type[y] = (uint32_t)before;
    }
    return CAUCUS_OK;
}

/* ---- what may follow ----------------------------------------------------------------- */

static bool is_one_of(cau_place place, unsigned places)
{
    return (PLACE(place) & places) != 0;
}

/* Whether label b goes on with the segment that label a leaves open. */
static bool continues(const cau_scheme *scheme, size_t a, size_t b)
{
    const unsigned open = PLACE(CAU_BEGIN) | PLACE(CAU_INSIDE);
    const unsigned going = PLACE(CAU_INSIDE) | PLACE(CAU_END);
    return is_one_of(scheme->place[a], open) && is_one_of(scheme->place[b], going) &&
           scheme->type[a] == scheme->type[b];
}

static void fill_tables(cau_scheme *scheme, cau_scheme_name name)
{
    const size_t Y = scheme->Y;
    const unsigned open = PLACE(CAU_BEGIN) | PLACE(CAU_INSIDE);
    const unsigned needs = schemes[name].needs, goes_on = schemes[name].goes_on;
    for (size_t a = 0; a < Y; a++) {
        scheme->first[a] = is_one_of(scheme->place[a], needs) ? -INFINITY : 0;
        scheme->last[a] = is_one_of(scheme->place[a], goes_on) ? -INFINITY : 0;
        for (size_t b = 0; b < Y; b++) {
            const bool after_open =
                is_one_of(scheme->place[a], open) && scheme->type[a] == scheme->type[b];
            const bool legal = (after_open || !is_one_of(scheme->place[b], needs)) &&
                               (continues(scheme, a, b) || !is_one_of(scheme->place[a], goes_on));
            scheme->edge[a * Y + b] = legal ? 0 : -INFINITY;
        }
    }
}

/* Spreads `reached` [Y] along what is legal, forward or back, until nothing is new. */
static void spread(const cau_scheme *scheme, bool *reached, bool forward)
{
    const size_t Y = scheme->Y;
    for (bool more = true; more;) {
        more = false;
        for (size_t a = 0; a < Y; a++)
            for (size_t b = 0; b < Y; b++) {
                const size_t from = forward ? a : b, to = forward ? b : a;
                if (scheme->edge[a * Y + b] < 0 || !reached[from] || reached[to]) continue;
                reached[to] = more = true;
            }
    }
}

/* Refuses a scheme in which a label of the model is in no legal sequence: B-X of iob2 data would
 * have to go on to an E-X in iobes, and there is none. */
static caucus_status check_usable(caucus_ctx *ctx, const cau_scheme *scheme,
                                  const caucus_model *model, cau_scheme_name name)
{
    const size_t Y = scheme->Y;
    caucus_status st = CAUCUS_OK;
    bool *reached = cau_alloc(Y, 2 * sizeof *reached); /* from the start, then from the end */
    if (!reached) return cau_fail_memory(ctx, "a scheme of labels");
    for (size_t y = 0; y < Y; y++) {
        reached[y] = scheme->first[y] == 0;
        reached[Y + y] = scheme->last[y] == 0;
    }
    spread(scheme, reached, true);
    spread(scheme, reached + Y, false);
    for (size_t y = 0; !st && y < Y; y++)
        if (!reached[y] || !reached[Y + y])
            st = cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                          "label '%s' of the model could never be used in scheme %s, which wants "
                          "others before or after it; take another --scheme",
                          cau_model_label(model, y), schemes[name].name);
    free(reached);
    return st;
}

caucus_status cau_scheme_init(caucus_ctx *ctx, cau_scheme *scheme, const caucus_model *model,
                              cau_scheme_name name)
{
    caucus_status st = CAUCUS_OK;
    size_t cells = 0;
    *scheme = (cau_scheme){.Y = model->Y};
    if (!cau_size_mul(model->Y, model->Y, &cells)) TRY(cau_fail_memory(ctx, "a scheme of labels"));
    scheme->place = cau_alloc(model->Y, sizeof *scheme->place);
    scheme->type = cau_alloc(model->Y, sizeof *scheme->type);
    if (!scheme->place || !scheme->type) TRY(cau_fail_memory(ctx, "a scheme of labels"));
    TRY(parse_labels(ctx, scheme, model, name));
    if (name == CAU_SCHEME_NONE) return CAUCUS_OK;
    scheme->edge = cau_alloc(cells, sizeof *scheme->edge);
    scheme->first = cau_alloc(model->Y, sizeof *scheme->first);
    scheme->last = cau_alloc(model->Y, sizeof *scheme->last);
    if (!scheme->edge || !scheme->first || !scheme->last)
        TRY(cau_fail_memory(ctx, "a scheme of labels"));
    fill_tables(scheme, name);
    TRY(check_usable(ctx, scheme, model, name));
done:
    if (st) cau_scheme_clear(scheme);
    return st;
}

void cau_scheme_clear(cau_scheme *scheme)
{
    free(scheme->place);
    free(scheme->type);
    free(scheme->edge);
    free(scheme->first);
    free(scheme->last);
    *scheme = (cau_scheme){0};
}

/* ---- segments ------------------------------------------------------------------------ */

size_t cau_scheme_segment(const cau_scheme *scheme, const uint32_t *path, size_t T, size_t t)
{
    if (scheme->place[path[t]] == CAU_OUTSIDE) return t;
    if (t > 0 && continues(scheme, path[t - 1], path[t])) return t;
    size_t end = t + 1;
    while (end < T && continues(scheme, path[end - 1], path[end])) end++;
    return end;
}
