/* members.c - see members.h.
 *
 * All members share the data; what makes them differ is a mask of rows, or a seed. Each has a
 * context of its own. When one fails, those after it end early and those before it do not, so
 * that which failure is told does not depend on timing. */

#include "pool/members.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/thread.h"

void cau_experts_clear(size_t J, cau_expert *experts)
{
    for (size_t j = 0; experts && j < J; j++) {
        free(experts[j].w);
        experts[j] = (cau_expert){0};
    }
}

/* ---- what the caller hears ----------------------------------------------------------------- */

void cau_runs_heard_init(caucus_ctx *ctx, size_t total, cau_runs_heard *heard)
{
    heard->ctx = ctx;
    heard->done = 0;
    heard->total = total;
    heard->began = cau_seconds();
    heard->dev = NAN;
    atomic_init(&heard->stopped, false);
    pthread_mutex_init(&heard->lock, NULL);
}

void cau_runs_heard_clear(cau_runs_heard *heard)
{
    pthread_mutex_destroy(&heard->lock);
}

/* Tells the caller where all runs stand, and hears whether to go on. `over`: one has just ended. */
static void tell(cau_runs_heard *h, bool over, double dev)
{
    pthread_mutex_lock(&h->lock);
    if (over) h->done++, h->dev = dev;
    const double elapsed = cau_seconds() - h->began;
    const caucus_progress p = {
        .solver = "members",
        .iteration = h->done,
        .passes = h->total,
        .objective = NAN,
        .gradient = NAN,
        .dev = h->dev,
        .elapsed = elapsed,
        .remaining = h->done ? elapsed / (double)h->done * (double)(h->total - h->done) : NAN,
    };
    if (h->ctx->progress && !atomic_load(&h->stopped) &&
        !h->ctx->progress(h->ctx->progress_user, &p))
        atomic_store(&h->stopped, true);
    pthread_mutex_unlock(&h->lock);
}

/* ---- one member ---------------------------------------------------------------------------- */

typedef struct {
    const cau_members_job *job;
    cau_runs_heard *heard;
    cau_expert *experts;
    caucus_ctx **ctx;     /* [J] */
    caucus_status *st;    /* [J] */
    atomic_size_t failed; /* the first member that did; SIZE_MAX: none */
} crew;

typedef struct {
    crew *crew;
    size_t j;
    double dev; /* the best so far */
} member;

/* At each iteration of a member. */
static bool goes_on(void *user, const caucus_progress *progress)
{
    member *m = user;
    m->dev = fmax(m->dev, progress->dev); /* NaN gives way */
    tell(m->crew->heard, false, NAN);
    return !atomic_load(&m->crew->heard->stopped) && atomic_load(&m->crew->failed) > m->j;
}

/* The weights v of a table with fewer weights, in the places that they have in another. */
static void expand(const cau_table *from, const double *v, const cau_table *to, double *w)
{
    for (size_t k = 0; k < from->rows; k++) {
        const size_t first = cau_table_at(from, k), place = cau_table_at(to, k);
        size_t at = place;
        for (size_t i = first; i < cau_table_at(from, k + 1); i++) {
            const size_t cell = from->cell ? from->cell[i] : i - first;
            while (to->cell && at < to->start[k + 1] && to->cell[at] < cell) at++;
            w[to->cell ? at : place + cell] = v[i];
        }
    }
}

static caucus_status keep(caucus_ctx *ctx, const cau_problem *p, const cau_fit_result *r,
                          cau_expert *e)
{
    const size_t own = cau_table_size(&r->nodes), all = cau_table_size(&p->nodes);
    e->w = cau_vector(p->n, sizeof *e->w);
    if (!e->w) return cau_fail_memory(ctx, "the weights");
    expand(&r->nodes, r->w, &p->nodes, e->w);
    expand(&r->edges, r->w + own, &p->edges, e->w + all);
    for (size_t c = 1; c <= p->common; c++) e->w[p->n - c] = r->w[r->n - c];
    e->objective = r->objective;
    e->iterations = r->iterations;
    e->passes = r->passes;
    return CAUCUS_OK;
}

static caucus_status train_member(void *self, size_t j, unsigned worker)
{
    (void)worker;
    crew *c = self;
    const cau_members_job *job = c->job;
    caucus_status st = CAUCUS_OK;
    cau_fit_result result = {0};
    cau_train_options o = *job->train;
    member m = {.crew = c, .j = j, .dev = NAN};
    o.rows = job->partition->rows[j];
    o.edge_rows = job->partition->edge_rows[j];
    TRY(caucus_ctx_new(&c->ctx[j]));
    caucus_on_progress(c->ctx[j], goes_on, &m);
    TRY(cau_fit_weights(c->ctx[j], job->data, &o, job->seed + (job->seeds ? j : 0), 1, &result));
    TRY(keep(c->ctx[j], job->problem, &result, &c->experts[j]));
    c->experts[j].dev = m.dev;
    tell(c->heard, true, m.dev);
done:
    cau_fit_result_clear(&result);
    c->st[j] = st;
    if (st) {
        size_t first = atomic_load(&c->failed);
        while (j < first && !atomic_compare_exchange_weak(&c->failed, &first, j)) continue;
    }
    return st;
}

caucus_status cau_members_train(caucus_ctx *ctx, const cau_members_job *job, cau_runs_heard *heard,
                                cau_expert *experts)
{
    caucus_status st = CAUCUS_OK;
    const size_t J = job->partition->J;
    crew c = {.job = job, .heard = heard, .experts = experts};
    atomic_init(&c.failed, SIZE_MAX);
    c.ctx = cau_calloc(J, sizeof(caucus_ctx *));
    c.st = cau_calloc(J, sizeof *c.st);
    if (!c.ctx || !c.st) TRY(cau_fail_memory(ctx, "the members"));
    st = cau_parallel(job->threads, J, train_member, &c);
    if (!st) goto done;
    const size_t failed = atomic_load(&c.failed);
    st = cau_fail(ctx, c.st[failed], "member '%s': %s", job->partition->name[failed],
                  caucus_message(c.ctx[failed]));
done:
    for (size_t j = 0; c.ctx && j < J; j++) caucus_ctx_free(c.ctx[j]);
    free(c.ctx);
    free(c.st);
    return st;
}
