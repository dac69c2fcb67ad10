/* domain_view.h - the domains of a gated pool: how near they are, and what tells them apart.
 *
 * The part "domains" of `inspect` on a model of MEGA. Its members are the components: one for each
 * domain, and the last for what all share, "general". A feature k is in an input of component c
 * with probability psi_c = 1 / (1 + exp(-gate weight of k)).
 *
 * Seeing k pulls a token towards component d by logit psi_d - logit psi_general, which is what it
 * adds to the log odds of d against general; and towards general by logit psi_general less the
 * largest of the domains', so what pulls there pulls against every domain. A list is of those that
 * pull towards its component, by what they add to the divergence of the component's inputs from
 * those it is compared with (psi', of which general is the one with the largest),
 *     psi log(psi / psi') + (1 - psi) log((1 - psi) / (1 - psi')),
 * so that those come first that are both telling and frequent. The strongest weights are of the
 * component's classifier, without transitions and what stands on edges.
 *
 * As JSON, the value of a key "domains" of the summary:
 *
 *   {
 *     "components": [              domain 1 is the one that the model is for; the last is general
 *       {"name": "calls.txt",                               null where it has none
 *        "pi": 0.41,                                        p(general) in the domain; null where it
 *                                                           is not told, and for general
 *        "pull": [                                          towards it, the strongest first
 *          {"feature": NAME, "pull": 2.1,
 *           "psi": [0.2, 0.01, 0.03]}, ...],                in each component
 *        "weights": [                                       the largest above 0
 *          {"feature": NAME, "label": LABEL, "weight": w}, ...]}, ...],   no label where features
 *                                                           are given for each class apart
 *     "divergence": [[0, 1.2], [1.5, 0]]                    KL(row || column) between domains, in
 *                                                           nats; null where it is not told
 *   } */

#ifndef CAU_INSPECT_DOMAIN_VIEW_H
#define CAU_INSPECT_DOMAIN_VIEW_H

#include "base/memory.h"
#include "inspect/top_features.h"
#include "report/report.h"

/* A component. */
typedef struct {
    cau_str name;             /* {NULL, 0}: none */
    double pi;                /* NAN: not told */
    cau_top_features weights; /* of its classifier */
} cau_component;

typedef struct {
    const caucus_model *model;
    cau_component *component; /* [J] */
    double *divergence;       /* [J-1][J-1]; NAN: not told */
    cau_top_features pull;    /* for each component, the features that pull towards it */
    cau_arena arena;          /* of the names */
} cau_domain_view;

/* Looks into a gated pool; lists have at most `top` features. Embed it zeroed, clear it at the end.
 * Borrows the model. */
caucus_status cau_domain_view_make(caucus_ctx *ctx, const caucus_model *pool, uint64_t top,
                                   cau_domain_view *out);
void cau_domain_view_clear(cau_domain_view *view);

/* As text, and as a key of `root`. */
caucus_status cau_domain_view_text(const cau_domain_view *view, cau_writer *sheet);
void cau_domain_view_json(const cau_domain_view *view, cau_writer *sheet, json_t *root);

#endif
