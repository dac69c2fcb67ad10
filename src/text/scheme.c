/* scheme.c - labels that tell where chunks begin and end, and which may follow which.
 *
 * Two properties of a label define all schemes: whether it needs a chunk of its type to be open
 * before it, and whether it leaves a chunk open that must go on. One rule then covers I in iob2 and
 * iobes, and B in iobes:
 *     y' may be followed by y if  needs(y)  implies  a chunk of the type of y is open after y'
 *                            and  y' must go on  implies  y continues the type of y'.
 *
 *              needs an open one   leaves one open   must go on
 *     iob1     B                   B I
 *     iob2     I                   B I
 *     iobes    I E                 B I               B I
 *     bilou    I L                 B I               B I
 *     io                           I
 *
 * The first label of a sequence must not need an open chunk, and the last one must not leave a
 * chunk that must go on. */

#include "text/scheme.h"

#define PLACE(p) (1u << (p))

static const unsigned open_after = PLACE(CAU_BEGIN) | PLACE(CAU_INSIDE);
static const unsigned going_on = PLACE(CAU_INSIDE) | PLACE(CAU_END);

/* A letter and the place that it stands for. */
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

const char *cau_scheme_text(cau_scheme_name scheme)
{
    return schemes[scheme].name;
}

const char *cau_scheme_looks(cau_scheme_name scheme)
{
    return schemes[scheme].looks;
}

bool cau_scheme_parse(cau_scheme_name scheme, cau_str label, cau_place *place, cau_str *type)
{
    if (label.n == 0 || label.n == 2 || (label.n > 2 && label.s[1] != '-')) return false;
    *place = CAU_OUTSIDE;
    *type = label.n > 2 ? (cau_str){label.s + 2, label.n - 2} : (cau_str){"", 0};
    if (label.s[0] == 'O') return label.n == 1;
    for (const letter *l = schemes[scheme].letters; l->letter; l++)
        if (l->letter == label.s[0]) *place = l->place;
    return *place != CAU_OUTSIDE;
}

char cau_scheme_letter(cau_scheme_name scheme, cau_place place)
{
    if (place == CAU_OUTSIDE) return 'O';
    for (const letter *l = schemes[scheme].letters; l->letter; l++)
        if (l->place == place) return l->letter;
    return 0;
}

cau_place cau_scheme_place(cau_scheme_name scheme, size_t t, size_t n, bool touches)
{
    const bool first = t == 0, last = t + 1 == n;
    switch (scheme) {
    case CAU_SCHEME_IO:
        return CAU_INSIDE;
    case CAU_SCHEME_IOB1:
        return first && touches ? CAU_BEGIN : CAU_INSIDE;
    case CAU_SCHEME_NONE:
    case CAU_SCHEME_IOB2:
        return first ? CAU_BEGIN : CAU_INSIDE;
    case CAU_SCHEME_IOBES:
    case CAU_SCHEME_BILOU:
        if (first) return last ? CAU_SINGLE : CAU_BEGIN;
        return last ? CAU_END : CAU_INSIDE;
    }
    return CAU_INSIDE;
}

static bool is_one_of(cau_place place, unsigned places)
{
    return (PLACE(place) & places) != 0;
}

bool cau_place_continues(cau_place before, cau_place place)
{
    return is_one_of(before, open_after) && is_one_of(place, going_on);
}

bool cau_scheme_first(cau_scheme_name scheme, cau_place place)
{
    return !is_one_of(place, schemes[scheme].needs);
}

bool cau_scheme_last(cau_scheme_name scheme, cau_place place)
{
    return !is_one_of(place, schemes[scheme].goes_on);
}

bool cau_scheme_follows(cau_scheme_name scheme, cau_place before, cau_place place, bool same_type)
{
    const bool after_open = same_type && is_one_of(before, open_after);
    const bool continued = same_type && cau_place_continues(before, place);
    return (after_open || !is_one_of(place, schemes[scheme].needs)) &&
           (continued || !is_one_of(before, schemes[scheme].goes_on));
}

const cau_scheme_name cau_schemes[CAU_SCHEMES] = {CAU_SCHEME_IOBES, CAU_SCHEME_BILOU,
                                                  CAU_SCHEME_IOB2, CAU_SCHEME_IOB1, CAU_SCHEME_IO};

bool cau_scheme_breaks(cau_scheme_name scheme, cau_str label, cau_place place, bool open,
                       bool goes_on)
{
    cau_place ignored;
    cau_str type;
    if (place == CAU_OUTSIDE) return false; /* nothing is wrong with O */
    return !cau_scheme_parse(scheme, label, &ignored, &type) ||
           (!open && !cau_scheme_first(scheme, place)) ||
           (!goes_on && !cau_scheme_last(scheme, place));
}
