/* domains.c - see domains.h. The data is used as it is if instances do not see the previous label
 * and are grouped by domain already. Otherwise it is copied row by row. */

#include "adapt/domains.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

static caucus_status no_memory(caucus_ctx *ctx)
{
    return cau_fail_memory(ctx, "the domains");
}

/* ---- checks -------------------------------------------------------------------------------- */

static caucus_status check_labels(caucus_ctx *ctx, const cau_dataset *set)
{
    if (set->group > 1)
        return cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                        "features are given for each class apart; domains can be adapted only with "
                        "features of the instance, so give each instance one list of them");
    for (size_t i = 0; i < set->N; i++)
        if (set->gold[i] >= set->Y)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "a label is partial; domains can be adapted only with whole labels, so "
                            "complete it or drop its sequence");
    return CAUCUS_OK;
}

/* Sets D and begin. *sorted: the instances are grouped by domain already. */
static caucus_status count_domains(caucus_ctx *ctx, const cau_dataset *set, cau_domains *out,
                                   bool *sorted)
{
    size_t D = set->N > 0;
    *sorted = true;
    for (size_t s = 0; set->unit && s < set->S; s++) {
        if (set->unit[s] >= D) D = set->unit[s] + (size_t)1;
        if (s > 0 && set->unit[s] < set->unit[s - 1]) *sorted = false;
    }
    if (D < 2)
        return cau_fail(
            ctx, CAUCUS_ERR_FORMAT,
            "there are instances of one domain only; give labelled data of a target and "
            "of at least one source");
    out->D = D;
    out->begin = cau_calloc(D + 1, sizeof *out->begin);
    if (!out->begin) return no_memory(ctx);
    for (size_t s = 0; s < set->S; s++) out->begin[set->unit[s] + 1] += cau_dataset_length(set, s);
    for (size_t d = 0; d < D; d++) {
        if (out->begin[d + 1] == 0)
            return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                            "domain %zu of %zu has no instances; give it some or leave it out",
                            d + 1, D);
        out->begin[d + 1] += out->begin[d];
    }
    return CAUCUS_OK;
}

/* ---- copies -------------------------------------------------------------------------------- */

typedef struct {
    const caucus_data *data;
    cau_domains *to;
    size_t *next; /* [D] the next row of each domain */
} row_copier;

/* The number of columns of instance i, whose sequence begins at `first`. */
static size_t count_columns(const row_copier *m, size_t i, size_t first)
{
    const cau_dataset *set = &m->data->train;
    size_t length = set->x.start[i + 1] - set->x.start[i];
    if (!m->to->chain || i == first) return length;
    if (m->to->E) length += set->e.start[i + 1] - set->e.start[i];
    return length + m->data->transitions;
}

static void copy_row(const row_copier *m, size_t i, size_t first, size_t row)
{
    const cau_dataset *set = &m->data->train;
    const cau_domains *d = m->to;
    cau_csr *x = &m->to->all.x;
    const size_t from = set->x.start[i], own = set->x.start[i + 1] - from;
    size_t at = x->start[row];
    if (own) memcpy(x->column + at, set->x.column + from, own * sizeof *x->column);
    if (own && x->value) memcpy(x->value + at, set->x.value + from, own * sizeof *x->value);
    at += own;
    if (d->chain && i > first) {
        const size_t previous = set->gold[i - 1];
        if (m->data->transitions) x->column[at++] = (uint32_t)(d->K + previous);
        for (size_t e = d->E ? set->e.start[i] : 0; d->E && e < set->e.start[i + 1]; e++)
            x->column[at++] = (uint32_t)(d->K + d->Y + set->e.column[e] * d->Y + previous);
    }
    for (size_t e = x->start[row] + own; x->value && e < at; e++) x->value[e] = 1;
    m->to->all.gold[row] = set->gold[i];
    if (set->weight) m->to->all.weight[row] = set->weight[d->chain ? first : i];
}

typedef void row_visitor(const row_copier *m, size_t i, size_t first, size_t row);

static void count_row(const row_copier *m, size_t i, size_t first, size_t row)
{
    m->to->all.x.start[row + 1] = count_columns(m, i, first);
}

/* Calls fn for all instances, with the rows that they get. */
static void visit_instances(const row_copier *m, row_visitor *fn)
{
    const cau_dataset *set = &m->data->train;
    memcpy(m->next, m->to->begin, m->to->D * sizeof *m->next);
    for (size_t s = 0; s < set->S; s++)
        for (size_t i = cau_dataset_begin(set, s); i < cau_dataset_begin(set, s + 1); i++)
            fn(m, i, cau_dataset_begin(set, s), m->next[set->unit[s]]++);
}

static caucus_status copy_data(caucus_ctx *ctx, const caucus_data *data, cau_domains *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    cau_dataset *all = &out->all;
    cau_csr *x = &all->x;
    row_copier m = {.data = data, .to = out, .next = cau_alloc(out->D, sizeof *m.next)};
    *x = (cau_csr){.rows = out->N, .columns = all->K};
    x->start = cau_calloc(out->N + 1, sizeof *x->start);
    if (!m.next || !x->start) TRY(no_memory(ctx));
    visit_instances(&m, count_row);
    for (size_t i = 0; i < out->N; i++) x->start[i + 1] += x->start[i];
    x->column = cau_alloc(cau_csr_nonzeros(x), sizeof *x->column);
    if (set->x.value) x->value = cau_alloc(cau_csr_nonzeros(x), sizeof *x->value);
    all->gold = cau_alloc(out->N, sizeof *all->gold);
    if (set->weight) all->weight = cau_alloc(out->N, sizeof *all->weight);
    if (!x->column || (set->x.value && !x->value) || !all->gold || (set->weight && !all->weight))
        TRY(no_memory(ctx));
    visit_instances(&m, copy_row);
    if (cau_csr_transpose(cau_threads(ctx), x, &all->xt)) TRY(no_memory(ctx));
done:
    free(m.next);
    return st;
}

/* ---- a domain ------------------------------------------------------------------------------ */

static caucus_status view_domain(caucus_ctx *ctx, cau_domains *out, size_t d)
{
    const cau_dataset *all = &out->all;
    const size_t begin = out->begin[d], N = out->begin[d + 1] - begin, at = all->x.start[begin];
    cau_dataset *one = &out->of[d];
    *one = *all;
    one->xt = (cau_csr){0};
    one->N = one->S = N;
    one->gold = all->gold + begin;
    one->weight = all->weight ? all->weight + begin : NULL;
    one->x = (cau_csr){.rows = N,
                       .columns = all->K,
                       .start = cau_alloc(N + 1, sizeof *one->x.start),
                       .column = all->x.column + at,
                       .value = all->x.value ? all->x.value + at : NULL};
    if (!one->x.start) return no_memory(ctx);
    for (size_t i = 0; i <= N; i++) one->x.start[i] = all->x.start[begin + i] - at;
    return cau_csr_transpose(cau_threads(ctx), &one->x, &one->xt) ? no_memory(ctx) : CAUCUS_OK;
}

/* ---- all domains --------------------------------------------------------------------------- */

caucus_status cau_domains_init(caucus_ctx *ctx, const caucus_data *data, bool chain,
                               cau_domains *out)
{
    caucus_status st = CAUCUS_OK;
    const cau_dataset *set = &data->train;
    bool sorted;
    size_t columns = set->K, more;
    *out = (cau_domains){
        .N = set->N, .Y = set->Y, .K = set->K, .E = chain ? set->E : 0, .chain = chain};
    TRY(check_labels(ctx, set));
    TRY(count_domains(ctx, set, out, &sorted));
    if (chain && (!cau_size_mul(out->E + 1, set->Y, &more) ||
                  !cau_size_add(columns, more, &columns) || columns > UINT32_MAX))
        TRY(cau_fail(ctx, CAUCUS_ERR_UNSUPPORTED,
                     "2^32 pairs of a feature and the previous label, or more; use a higher "
                     "cutoff or fewer features on edges"));
    out->borrowed = sorted && !chain;
    out->all = (cau_dataset){
        .N = set->N, .S = set->N, .K = columns, .Y = set->Y, .group = 1, .width = set->Y};
    if (out->borrowed) {
        out->all.x = set->x;
        out->all.xt = set->xt;
        out->all.gold = set->gold;
        out->all.weight = set->weight;
    } else {
        TRY(copy_data(ctx, data, out));
    }
    out->of = cau_calloc(out->D, sizeof *out->of);
    if (!out->of) TRY(no_memory(ctx));
    for (size_t d = 0; d < out->D; d++) TRY(view_domain(ctx, out, d));
done:
    if (st) cau_domains_clear(out);
    return st;
}

void cau_domains_clear(cau_domains *domains)
{
    for (size_t d = 0; domains->of && d < domains->D; d++) {
        free(domains->of[d].x.start);
        cau_csr_clear(&domains->of[d].xt);
    }
    free(domains->of);
    free(domains->begin);
    if (!domains->borrowed) {
        cau_csr_clear(&domains->all.x);
        cau_csr_clear(&domains->all.xt);
        free(domains->all.gold);
        free(domains->all.weight);
    }
    *domains = (cau_domains){0};
}

cau_dataset cau_target_set(const cau_dataset *train)
{
    cau_dataset target = *train;
    size_t S = 0;
    while (S < train->S && train->unit[S] == 0) S++;
    target.S = S;
    target.N = train->sequence ? train->sequence[S] : S;
    target.x.rows = target.N * train->group;
    target.unit = NULL;
    return target;
}
