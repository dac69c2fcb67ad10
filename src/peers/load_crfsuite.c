/* load_crfsuite.c - reads the binary models of CRFsuite.
 *
 * All numbers are little endian, of 32 bits unless said; offsets count from the start of the file.
 *
 *     0    "lCRF", size of the file, "FOMC", version 100
 *     16   0, L labels, A attributes
 *     28   offsets of the parts: FEAT, labels, attributes, LFRF, AFRF
 *
 *     FEAT  size, count; then features of 20 bytes: type (0 an attribute and a label, 1 two
 *           labels), attribute or label before, label, weight (a double)
 *     CQDB  size, 0, byte order, count and offset (from this part) of an array that has, for each
 *           number, the offset of its record: number, length of the text with its NUL, the text;
 *           the hash tables between are not needed here
 *     LFRF  size, count; then offsets to lists: a count and the numbers of the transitions out of
 *           a label; AFRF likewise, for the features of an attribute
 *
 * A feature belongs to one list only, so a list whose labels ascend cannot have one twice, and the
 * work is bounded by the size of the file. */

#include "peers/peer_model.h"

enum { HEADER = 48, CHUNK = 12, FEATURE = 20, CQDB_HEADER = 24 };

enum { STATE, TRANSITION }; /* types of features */

static const uint32_t CQDB_BYTE_ORDER = 0x62445371;

/* The file while it is read. */
typedef struct {
    caucus_ctx *ctx;
    cau_peer_model *to;
    cau_str file;
    size_t features; /* their number */
    const char *feature;
} crfsuite_file;

#define DAMAGED(f, ...) cau_peer_damaged((f)->ctx, (f)->to, __VA_ARGS__)

static uint32_t number_at(const crfsuite_file *f, uint64_t at)
{
    return cau_peer_u32(f->file.s + at);
}

/* A part that begins with four letters, its size and the number of its items, after which these
 * items begin. */
static caucus_status find_part(const crfsuite_file *f, uint32_t at, const char *letters,
                               size_t size, uint32_t *count)
{
    if (!cau_peer_inside(f->file, at, 1, CHUNK) || memcmp(f->file.s + at, letters, 4) != 0)
        return DAMAGED(f, "no part %s at byte %u", letters, at);
    *count = number_at(f, (uint64_t)at + 8);
    if (!cau_peer_inside(f->file, (uint64_t)at + CHUNK, *count, size))
        return DAMAGED(f, "part %s is longer than the file", letters);
    return CAUCUS_OK;
}

/* ---- names --------------------------------------------------------------------------- */

/* The table of names at an offset, with at least `count` of them; *back is the array of offsets. */
static caucus_status find_names(const crfsuite_file *f, uint32_t at, uint32_t count, uint64_t *back)
{
    if (!cau_peer_inside(f->file, at, 1, CQDB_HEADER) || memcmp(f->file.s + at, "CQDB", 4) != 0)
        return DAMAGED(f, "no table of names at byte %u", at);
    if (number_at(f, (uint64_t)at + 12) != CQDB_BYTE_ORDER)
        return DAMAGED(f, "the names were written in another byte order");
    *back = (uint64_t)at + number_at(f, (uint64_t)at + 20);
    if (number_at(f, (uint64_t)at + 16) < count || !cau_peer_inside(f->file, *back, count, 4))
        return DAMAGED(f, "a table of names is longer than the file");
    return CAUCUS_OK;
}

/* The name with a number, in the table at `at`. */
static caucus_status read_name(const crfsuite_file *f, uint32_t at, uint64_t back, uint32_t number,
                               cau_str *out)
{
    const uint64_t record = (uint64_t)at + number_at(f, back + 4 * (uint64_t)number);
    if (!cau_peer_inside(f->file, record, 1, 8) || number_at(f, record) != number)
        return DAMAGED(f, "name %u is not where it should be", number);
    const uint32_t length = number_at(f, record + 4);
    if (length == 0 || !cau_peer_inside(f->file, record + 8, length, 1))
        return DAMAGED(f, "name %u is longer than the file", number);
    const char *text = f->file.s + record + 8;
    if (memchr(text, '\0', length) != text + length - 1)
        return DAMAGED(f, "name %u does not end where it should", number);
    *out = (cau_str){text, length - 1};
    return CAUCUS_OK;
}

/* ---- weights ------------------------------------------------------------------------- */

/* A feature that a list of `source` names. */
static caucus_status read_feature(const crfsuite_file *f, uint32_t number, uint32_t type,
                                  uint32_t source, uint32_t *label, double *w)
{
    if (number >= f->features) return DAMAGED(f, "feature %u of %zu is used", number, f->features);
    const char *at = f->feature + (size_t)number * FEATURE;
    *label = cau_peer_u32(at + 8);
    *w = cau_peer_double(at + 12);
    if (cau_peer_u32(at) != type || cau_peer_u32(at + 4) != source || *label >= f->to->Y)
        return DAMAGED(f, "feature %u is in a wrong list", number);
    return CAUCUS_OK;
}

/* The list of number `i` in the part at `at`: its features are count numbers at *list. */
static caucus_status find_list(const crfsuite_file *f, uint32_t at, uint32_t i, uint32_t *count,
                               uint64_t *list)
{
    const uint64_t begin = number_at(f, (uint64_t)at + CHUNK + 4 * (uint64_t)i);
    if (!cau_peer_inside(f->file, begin, 1, 4) ||
        !cau_peer_inside(f->file, begin + 4, number_at(f, begin), 4))
        return DAMAGED(f, "list %u of features is longer than the file", i);
    *count = number_at(f, begin);
    *list = begin + 4;
    return CAUCUS_OK;
}

static caucus_status read_transitions(const crfsuite_file *f, uint32_t at)
{
    caucus_status st = CAUCUS_OK;
    const size_t Y = f->to->Y;
    uint32_t lists = 0, count = 0, label = 0;
    uint64_t list = 0;
    double w = 0;
    TRY(find_part(f, at, "LFRF", 4, &lists));
    if (lists < Y) TRY(DAMAGED(f, "%u lists of transitions for %zu labels", lists, Y));
    TRY(cau_peer_set_transitions(f->ctx, f->to));
    for (uint32_t y = 0; y < Y; y++) {
        TRY(find_list(f, at, y, &count, &list));
        if (count > Y) TRY(DAMAGED(f, "%u transitions to %zu labels", count, Y));
        for (uint32_t i = 0; i < count; i++) {
            TRY(read_feature(f, number_at(f, list + 4 * (uint64_t)i), TRANSITION, y, &label, &w));
            f->to->transitions[y * Y + label] = w;
        }
    }
done:
    return st;
}

/* Moves the last weight of a row to its place among the cells before it. */
static caucus_status sort_last(const crfsuite_file *f, size_t begin)
{
    cau_peer_rows *rows = &f->to->nodes;
    const uint32_t cell = rows->cell[rows->used - 1];
    const double w = rows->w[rows->used - 1];
    size_t at = rows->used - 1;
    for (; at > begin && rows->cell[at - 1] > cell; at--) {
        rows->cell[at] = rows->cell[at - 1];
        rows->w[at] = rows->w[at - 1];
    }
    if (at > begin && rows->cell[at - 1] == cell)
        return DAMAGED(f, "attribute '%.*s' has a label twice",
                       CAU_SHOWN(rows->name[rows->rows - 1]));
    rows->cell[at] = cell;
    rows->w[at] = w;
    return CAUCUS_OK;
}

static caucus_status read_attributes(const crfsuite_file *f, uint32_t A, uint32_t at,
                                     uint32_t lists_at)
{
    caucus_status st = CAUCUS_OK;
    cau_peer_rows *rows = &f->to->nodes;
    uint32_t lists = 0, count = 0, label = 0;
    uint64_t back = 0, list = 0;
    cau_str name = {NULL, 0};
    double w = 0;
    TRY(find_names(f, at, A, &back));
    TRY(find_part(f, lists_at, "AFRF", 4, &lists));
    if (lists < A) TRY(DAMAGED(f, "%u lists of features for %u attributes", lists, A));
    TRY(cau_peer_reserve(f->ctx, rows, A, f->features));
    for (uint32_t a = 0; a < A; a++) {
        TRY(read_name(f, at, back, a, &name));
        TRY(cau_peer_add_row(f->ctx, rows, name));
        TRY(find_list(f, lists_at, a, &count, &list));
        const size_t begin = rows->used;
        for (uint32_t i = 0; i < count; i++) {
            TRY(read_feature(f, number_at(f, list + 4 * (uint64_t)i), STATE, a, &label, &w));
            TRY(cau_peer_add_weight(f->ctx, rows, label, w));
            if (rows->used - begin > 1 && rows->cell[rows->used - 2] >= label)
                TRY(sort_last(f, begin));
        }
    }
done:
    return st;
}

caucus_status cau_load_crfsuite(caucus_ctx *ctx, cau_str file, cau_peer_model *to)
{
    caucus_status st = CAUCUS_OK;
    crfsuite_file f = {.ctx = ctx, .to = to, .file = file};
    uint32_t features = 0;
    uint64_t back = 0;
    if (file.n < HEADER || number_at(&f, 4) != file.n)
        TRY(DAMAGED(&f, "its size is not the one it notes"));
    if (memcmp(file.s + 8, "FOMC", 4) != 0 || number_at(&f, 12) != 100)
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "%s: a CRFsuite model of another version; only 100 of type FOMC is known, "
                     "train it with CRFsuite 0.12",
                     to->path));
    const uint32_t L = number_at(&f, 20), A = number_at(&f, 24), feat = number_at(&f, 28);
    const uint32_t labels = number_at(&f, 32), attributes = number_at(&f, 36);
    TRY(find_part(&f, feat, "FEAT", FEATURE, &features));
    f.features = features;
    f.feature = file.s + feat + CHUNK;

    to->kind = CAU_KIND_CRF;
    to->read.format = CAU_FORMAT_CRFSUITE;
    TRY(cau_peer_set_labels(ctx, to, L));
    TRY(find_names(&f, labels, L, &back));
    for (uint32_t y = 0; y < L; y++) TRY(read_name(&f, labels, back, y, &to->label[y]));
    TRY(read_transitions(&f, number_at(&f, 40)));
    TRY(read_attributes(&f, A, attributes, number_at(&f, 44)));
done:
    return st;
}
