/* fit.h - training: joins the data, the model, a solver and the stopping rule. */

#ifndef CAU_TRAIN_FIT_H
#define CAU_TRAIN_FIT_H

#include "dataset/dataset.h"
#include "math/table.h"
#include "model/model.h"
#include "optim/stop.h"

typedef enum {
    CAU_SOLVER_AUTO,
    CAU_SOLVER_LBFGS,
    CAU_SOLVER_OWLQN,
    CAU_SOLVER_GIS,
    CAU_SOLVER_IIS,
    CAU_SOLVER_SGD,
    CAU_SOLVER_ADAGRAD,
    CAU_SOLVER_SDCA,
    CAU_SOLVER_PERCEPTRON,
    CAU_SOLVER_PA,
    CAU_SOLVER_FOBOS,
    CAU_SOLVER_PROXIMAL,
} cau_solver_kind;

/* In the order of --states and --transitions. */
typedef enum { CAU_STATES_AUTO, CAU_STATES_ALL, CAU_STATES_SEEN } cau_states;
typedef enum { CAU_TRANSITIONS_ALL, CAU_TRANSITIONS_SEEN } cau_transition_choice;

/* The order of --model; auto is a CRF for data in sequences, else MaxEnt. */
typedef enum { CAU_MODEL_AUTO, CAU_MODEL_MAXENT, CAU_MODEL_MEMM, CAU_MODEL_CRF } cau_model_choice;

/* The order of --group and --dropout-by. F gets l1 sum_g sqrt(size of g) |w_g| instead of
 * l1 sum |w|: a group is all weights of a feature, or of all features of a template. */
typedef enum { CAU_GROUP_NONE, CAU_GROUP_FEATURE, CAU_GROUP_TEMPLATE } cau_group;

/* The proximal step of the elitist penalty, in the order of --prox. */
typedef enum { CAU_PROX_EXACT, CAU_PROX_APPROXIMATE, CAU_PROX_NORM } cau_prox_kind;

typedef struct {
    double l1, l2;             /* F = loss + l1 sum|w| + l2/2 sum (w - mean)^2 */
    const char *mean;          /* a model whose weights are the means; NULL: zero */
    const caucus_model *prior; /* the same, of a model that is open already, and default weights are
                                  pulled there as well: a class that the data lacks keeps what the
                                  model says of it; borrowed; not together with `mean` */
    bool no_bias;              /* no default weight for each class */
    int model;                 /* cau_model_choice */
    int states;                /* cau_states: all (feature, class) pairs, or those seen */
    int transitions;           /* cau_transition_choice: all pairs of labels, or those seen */
    const char *from;          /* a model whose weights are the start; NULL: zero or the mean */
    const char *class_weight;  /* NULL, "balanced", or "label=w,label=w" */
    int solver;                /* cau_solver_kind */
    uint64_t history;          /* of L-BFGS */
    double rate;               /* of SGD and AdaGrad; 0: calibrated */
    int pa_type;               /* 0, 1, 2: PA, PA-I, PA-II */
    double pa_c;               /* how far a step of PA-I and PA-II may go */
    bool correction;           /* GIS with its correction feature */
    int group;                 /* cau_group: with l1, whole groups of weights are kept or dropped */
    size_t experts;            /* J experts trained together (experts.h), by fobos or proximal, for
                                  cau_fit_weights only; 0: an ordinary model */
    double elitist;            /* strength of their elitist penalty */
    int prox;                  /* cau_prox_kind */
    double spread;             /* they start uniformly in [-spread, spread] */
    double dropout;            /* share of the features that an example goes without; 0: none */
    int dropout_by;            /* cau_group: single features, or all of a template together; none:
                                  the latter where features are of several kinds */
    const uint8_t *rows;       /* [K] 0: this observation has no weights; NULL: all have */
    const uint8_t *edge_rows;  /* [E] the same on edges */
    const double *start;       /* [n of a cau_fit_result with the same data] weights to start with,
                                  before `from` and `mean`; NULL: none */
    cau_stop_rule stop;
    const char *memory; /* limit such as "4G"; NULL: none */
    const char *output; /* where the model will be saved; NULL: nowhere, no checkpoint */
    bool resume;        /* go on from the checkpoint */
    double checkpoint;  /* seconds between checkpoints */
    cau_str kept;       /* options to be noted in the model, "key TAB value" lines */
    cau_str shape;      /* those of them that a resumed run must share */
} cau_train_options;

/* Epochs of the solvers that have no other end, where the options give no limit: the perceptron,
 * PA and FOBOS. */
enum { CAU_EPOCHS = 100 };

/* What can be said before the data is read: that the options go together, and that the output
 * can be written. cau_fit asks again. */
caucus_status cau_fit_check(caucus_ctx *ctx, const cau_train_options *options);

/* Learns a model from data->train, watching data->dev. With an output, the model is saved
 * there, and a checkpoint lies beside it while the run is unfinished. */
caucus_status cau_fit(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *options,
                      uint64_t seed, unsigned threads, caucus_model **out);

/* The same without a model file: the result of a run. Embed it zeroed, clear it at the end. */
typedef struct {
    double *w; /* [n] the final weights, a start for a run over the same data with the same choices
                  of model, states, transitions and bias; of experts [J][n] */
    size_t n, nonzero;
    uint32_t *answer;          /* [data->test.N] the best labels of the test set */
    double objective, penalty; /* NaN if the solver has no objective */
    double train_accuracy;
    size_t iterations, passes, best_iteration; /* the best on the development set */
    cau_stop_reason ended;
    double seconds;
    cau_table nodes, edges; /* of w: its rows, of which those that were left out by a mask are
                               empty; behind them the common weights */
} cau_fit_result;
caucus_status cau_fit_weights(caucus_ctx *ctx, const caucus_data *data,
                              const cau_train_options *options, uint64_t seed, unsigned threads,
                              cau_fit_result *result);
void cau_fit_result_clear(cau_fit_result *result);

#endif
