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
    CAU_SOLVER_AROW,
    CAU_SOLVER_FOBOS,
    CAU_SOLVER_PROXIMAL,
} cau_solver_kind;

/* In the order of --states and --transitions. */
typedef enum { CAU_STATES_AUTO, CAU_STATES_ALL, CAU_STATES_SEEN } cau_states;
typedef enum { CAU_TRANSITIONS_ALL, CAU_TRANSITIONS_SEEN } cau_transition_choice;

/* The order of --model; auto is a CRF for data in sequences, else MaxEnt. */
typedef enum { CAU_MODEL_AUTO, CAU_MODEL_MAXENT, CAU_MODEL_MEMM, CAU_MODEL_CRF } cau_model_choice;

/* The order of --group and --dropout-by. The penalty is l1 sum_g sqrt(size of g) |w_g| instead of
 * l1 sum |w|; a group is all weights of a feature, or of all features of a template pattern. */
typedef enum { CAU_GROUP_NONE, CAU_GROUP_FEATURE, CAU_GROUP_TEMPLATE } cau_group;

/* The variants PA, PA-I and PA-II, in the order of --pa-type. */
typedef enum { CAU_PA_0, CAU_PA_1, CAU_PA_2 } cau_pa_type;

/* The proximal step of the elitist penalty, in the order of --prox. */
typedef enum { CAU_PROX_EXACT, CAU_PROX_APPROXIMATE, CAU_PROX_NORM } cau_prox_kind;

typedef struct {
    double l1, l2;             /* F = loss + l1 sum|w| + l2/2 sum (w - mean)^2 */
    const char *mean;          /* a model whose weights are the means; NULL: zero */
    const caucus_model *prior; /* the same, for an open model. The intercepts are pulled to their
                                  means too, so a class that the data lacks keeps those of the
                                  model. Borrowed; not together with `mean` */
    bool no_bias;              /* no intercepts */
    cau_model_choice model;
    cau_states states;                 /* all (feature, class) pairs, or those seen */
    cau_transition_choice transitions; /* all pairs of labels, or those seen */
    const char *from;         /* a model whose weights are the start; NULL: zero or the mean */
    const char *class_weight; /* NULL, "balanced", or "label=w,label=w" */
    cau_solver_kind solver;
    uint64_t history; /* of SGD and AdaGrad; 0: chosen by trials */
    double rate;      /* of SGD and AdaGrad; 0: calibrated */
    cau_pa_type pa_type;
    double pa_c;       /* the largest step of PA-I and PA-II */
    bool unit_margin;  /* PA: a margin of 1 instead of sqrt(number of wrong labels) */
    bool last_weights; /* perceptron and PA: instead of the average */
    double arow_variance, arow_gamma;
    bool correction; /* GIS with the correction feature */
    cau_group group; /* group lasso, with l1 */
    size_t experts;  /* J experts trained together (learner.h), by fobos or proximal, for
                        cau_fit_weights only; 0: an ordinary model */
    double elitist;  /* strength of their elitist penalty */
    cau_prox_kind prox;
    double spread;            /* initial weights are uniform in [-spread, spread] */
    double dropout;           /* share of the features dropped from an example; 0: off */
    cau_group dropout_by;     /* single features, or all of a template pattern; none: patterns if
                             there are several, else features */
    const uint8_t *rows;      /* [K] 0: this observation has no weights; NULL: all have */
    const uint8_t *edge_rows; /* [E] the same on edges */
    const double *start; /* [n of a cau_fit_result over the same data] initial weights, which take
                            precedence over `from` and `mean`; NULL: none */
    cau_stop_rule stop;
    const char *memory; /* limit such as "4G"; NULL: none */
    const char *output; /* path of the model file; NULL: none, and no checkpoint */
    bool resume;        /* continue from the checkpoint */
    double checkpoint;  /* seconds between checkpoints */
    cau_str kept;       /* options to record in the model, "key TAB value" lines */
    cau_str shape;      /* those that a resumed run must share */
} cau_train_options;

/* Default limit of epochs for the solvers without a convergence test: perceptron, PA and FOBOS. */
enum { CAU_EPOCHS = 100 };

/* Checks, before the data is read, that the options are compatible and that the output can be
 * written. cau_fit checks again. */
caucus_status cau_fit_check(caucus_ctx *ctx, const cau_train_options *options);

/* Checks that several processes can share the data of a run. cau_fit checks again. */
caucus_status cau_fit_check_share(caucus_ctx *ctx, const cau_train_options *options);

/* Learns a model from data->train, with data->dev for early stopping. With an output, the model is
 * saved there, and a checkpoint beside it while the run is unfinished. */
caucus_status cau_fit(caucus_ctx *ctx, const caucus_data *data, const cau_train_options *options,
                      uint64_t seed, unsigned threads, caucus_model **out);

/* The result of a run without a model file. Embed it zeroed, clear it at the end. */
typedef struct {
    double *w; /* [n] the final weights, a start for a run over the same data with the same model,
                  states, transitions and intercepts; of experts [J][n] */
    size_t n, nonzero;
    uint32_t *answer;          /* [data->test.N] the best labels of the test set */
    double objective, penalty; /* NaN if the solver has no objective */
    double train_accuracy;
    size_t iterations, passes, best_iteration; /* the best on the development set */
    cau_stop_reason ended;
    double seconds;
    cau_table nodes, edges; /* layout of w, in which masked rows are empty; the common weights
                               follow */
} cau_fit_result;
caucus_status cau_fit_weights(caucus_ctx *ctx, const caucus_data *data,
                              const cau_train_options *options, uint64_t seed, unsigned threads,
                              cau_fit_result *result);
void cau_fit_result_clear(cau_fit_result *result);

#endif
