/* options.c - one row for each option of each verb.
 *
 * The parser of the program, range checks, help, man page, shell completion and the notes in
 * a model file all come from the rows below: adding an option is adding a row. A row that
 * another tool calls by another name is a row of its own, which sets the first after
 * converting its unit (PENALTY below; docs/notation.md has the arithmetic). */

#include "api/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/strbuf.h"

enum {
    TRAIN = 1,
    TAG = 2,
    EVAL = 4,
    INSPECT = 8,
    CONVERT = 16,
    FEATURES = 32,
    ADAPT = 64,
    CLUSTER = 128,
};

static const struct {
    const char *name;
    unsigned bit;
} verbs[] = {
    {"train", TRAIN},     {"tag", TAG},           {"eval", EVAL},   {"inspect", INSPECT},
    {"convert", CONVERT}, {"features", FEATURES}, {"adapt", ADAPT}, {"cluster", CLUSTER},
};

/* How the value of a synonym becomes that of its row. */
typedef enum { AS_IT_IS, TWICE, INVERSE } conversion;

typedef struct {
    unsigned verbs;
    caucus_option_info info;
    size_t field;        /* offset in caucus_options; OUTSIDE: the program's own business */
    bool kept;           /* noted in the model file */
    const char *synonym; /* of this row, after `convert` */
    conversion convert;
} row;

#define OUTSIDE SIZE_MAX
#define AT(member) offsetof(caucus_options, member)

#define FLAG(name, letter, group, help)                                                            \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_FLAG, "0", 0, 1, NULL, NULL, group, help                       \
    }
#define COUNT(name, letter, standard, min, max, value, group, help)                                \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_COUNT, standard, min, max, NULL, value, group, help            \
    }
#define REAL(name, letter, standard, min, max, value, group, help)                                 \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_REAL, standard, min, max, NULL, value, group, help             \
    }
#define NAME(name, letter, standard, choices, value, group, help)                                  \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_NAME, standard, 0, 0, choices, value, group, help              \
    }
#define TEXT(name, letter, value, group, help)                                                     \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_TEXT, NULL, 0, 0, NULL, value, group, help                     \
    }
#define PATH(name, letter, value, group, help)                                                     \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_FILE, NULL, 0, 0, NULL, value, group, help                     \
    }

#define PATHS(name, letter, value, group, help)                                                    \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_FILES, NULL, 0, 0, NULL, value, group, help                    \
    }

#define TEXTS(name, letter, value, group, help)                                                    \
    {                                                                                              \
        name, letter, CAUCUS_OPTION_TEXTS, NULL, 0, 0, NULL, value, group, help                    \
    }

#define FORMATS "auto|text|svmlight|crfsuite|megam|columns"

#define DATA "Data"
#define MODEL "Model and penalties"
#define SOLVER "Solver"
#define STOP "When to stop"
#define OUTPUT "Output"
#define DECODE "Which labels are possible"
#define POOL "Pools: models that vote"
#define STUDY "Studies: many runs, one table"
#define LABELS "What labels mean"
#define ASK "What to find out"
#define RUN "Running"
#define DOMAINS "Domains and methods"
#define MEGA "MEGA"
#define MIXTURE "The mixture and its samples"
#define QUESTIONS "Links and questions"

/* clang-format off */
static const row rows[] = {
    /* files */
    {TRAIN | ADAPT, PATH("output", 'o', "MODEL", OUTPUT, "file to write the model to"), AT(train.output), false, NULL, 0},
    {TAG, PATH("model", 'm', "MODEL", DATA, "the model to apply"), OUTSIDE, false, NULL, 0},

    /* data */
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT, NAME("format", 'f', "auto", FORMATS, "NAME", DATA, "how the data is written; auto looks at the first lines, and is the format of the model once there is one"), AT(data.read.format), false, NULL, 0},
    {TRAIN | FEATURES | ADAPT, PATH("template", 'T', "FILE", DATA, "columns: how features are made of them, in the language of CRF++ and Wapiti and beyond; without it, a general one"), AT(data.template), true, NULL, 0},
    {TRAIN | FEATURES | ADAPT, FLAG("comments", 0, DATA, "columns: lines that begin with # are comments"), AT(data.read.comments), true, NULL, 0},
    {TRAIN | FEATURES | ADAPT, FLAG("docstart", 0, DATA, "columns: lines that begin with -DOCSTART- end a sequence and are left out"), AT(data.read.docstart), true, NULL, 0},
    {TRAIN, PATH("dev", 'd', "FILE", DATA, "development data: its accuracy is shown, and the best model on it is kept"), AT(data.dev), true, NULL, 0},
    {TRAIN, REAL("dev-fraction", 0, "0", 0, 0.9, "X", DATA, "set this share of the training data aside as development data"), AT(data.dev_fraction), true, NULL, 0},
    {TRAIN, PATH("test", 0, "FILE", DATA, "test data: its accuracy is shown, and learning curves are measured on it"), AT(data.test), false, NULL, 0},
    {TRAIN, TEXT("by", 0, "UNIT", DATA, "what studies keep together: sequence, document (between -DOCSTART- lines), file, or the number of a column, from 0, that names the group"), AT(data.by), false, NULL, 0},
    {TRAIN | ADAPT, COUNT("cutoff", 0, "1", 0, 1e9, "N", DATA, "drop features that occur in fewer than N instances"), AT(data.cutoff), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("ngrams", 0, "1", 1, 8, "N", DATA, "text: word n-grams up to length N"), AT(data.read.ngrams), true, NULL, 0},
    {TRAIN | ADAPT, FLAG("lower", 0, DATA, "text: change to lower case first"), AT(data.read.lower), true, NULL, 0},
    {TRAIN | ADAPT, FLAG("counts", 0, DATA, "text: count words instead of noting their presence"), AT(data.read.counts), true, NULL, 0},
    {TRAIN | ADAPT, FLAG("values", 0, DATA, "megam: each feature is followed by its value (-fvals)"), AT(data.read.values), true, NULL, 0},

    /* model and penalties */
    {TRAIN, NAME("model", 0, "auto", "auto|maxent|memm|crf", "KIND", MODEL, "a classifier, or a sequence model that is normalised by position or by sequence; auto is crf for data in sequences, else maxent"), AT(train.model), true, NULL, 0},
    {ADAPT, NAME("model", 0, "auto", "auto|maxent|memm|crf", "KIND", MODEL, "a classifier, or a sequence model that is normalised by position or by sequence; auto is memm for data in sequences, else maxent; mega cannot be a crf"), AT(train.model), true, NULL, 0},
    {TRAIN | ADAPT, REAL("l2", 0, "1", 0, 1e12, "X", MODEL, "l2 penalty: X/2 times the sum of w^2; 0 is off"), AT(train.l2), true, NULL, 0},
    {TRAIN, REAL("l1", 0, "0", 0, 1e12, "X", MODEL, "l1 penalty: X times the sum of |w|; 0 is off"), AT(train.l1), true, NULL, 0},
    {TRAIN, NAME("group", 0, "none", "none|feature|template", "WHAT", MODEL, "with --l1, keep or drop all weights of a feature, or of all features of a template pattern, together"), AT(train.group), true, NULL, 0},
    {TRAIN | ADAPT, REAL("c2", 0, NULL, 0, 1e12, "X", MODEL, "l2 as CRFsuite counts it: l2 = 2X"), OUTSIDE, false, "l2", TWICE},
    {TRAIN, REAL("c1", 0, NULL, 0, 1e12, "X", MODEL, "l1 as CRFsuite calls it: l1 = X"), OUTSIDE, false, "l1", AS_IT_IS},
    {TRAIN | ADAPT, REAL("C", 0, NULL, 1e-12, 1e12, "X", MODEL, "l2 as LIBLINEAR, scikit-learn and CRF++ count it: l2 = 1/X"), OUTSIDE, false, "l2", INVERSE},
    {TRAIN | ADAPT, REAL("sigma2", 0, NULL, 1e-12, 1e12, "X", MODEL, "l2 as a Gaussian variance, like MALLET: l2 = 1/X"), OUTSIDE, false, "l2", INVERSE},
    {TRAIN | ADAPT, REAL("rho2", 0, NULL, 0, 1e12, "X", MODEL, "l2 as Wapiti calls it: l2 = X"), OUTSIDE, false, "l2", AS_IT_IS},
    {TRAIN, REAL("rho1", 0, NULL, 0, 1e12, "X", MODEL, "l1 as Wapiti calls it: l1 = X"), OUTSIDE, false, "l1", AS_IT_IS},
    {TRAIN | ADAPT, REAL("lambda", 0, NULL, 0, 1e12, "X", MODEL, "l2 as MegaM calls it: l2 = X"), OUTSIDE, false, "l2", AS_IT_IS},
    {TRAIN, PATH("mean", 0, "MODEL", MODEL, "pull the weights to those of this model instead of to 0"), AT(train.mean), true, NULL, 0},
    {TRAIN | ADAPT, FLAG("no-bias", 0, MODEL, "no default weight for each class"), AT(train.no_bias), true, NULL, 0},
    {TRAIN, PATH("from", 0, "MODEL", MODEL, "start with the weights, the features and the labels of this model"), AT(train.from), true, NULL, 0},
    {TRAIN | ADAPT, NAME("states", 0, "auto", "auto|all|seen", "WHICH", MODEL, "weights for all pairs of feature and class, or only for those that occur; auto is seen for sequence models, else all"), AT(train.states), true, NULL, 0},
    {TRAIN | ADAPT, NAME("transitions", 0, "all", "all|seen", "WHICH", MODEL, "crf, memm: weights for all pairs of labels, or only for those that follow each other in the data"), AT(train.transitions), true, NULL, 0},
    {TRAIN | ADAPT, TEXT("class-weight", 0, "WEIGHTS", MODEL, "\"balanced\", or label=weight,label=weight"), AT(train.class_weight), true, NULL, 0},

    /* solver */
    {TRAIN | ADAPT, NAME("solver", 0, "auto", "auto|lbfgs|owlqn|gis|iis|sgd|adagrad|dual|perceptron|pa|fobos|proximal", "NAME", SOLVER, "auto is dual for sequence models with a penalty that is not weak, else lbfgs, or owlqn with an l1 penalty (proximal with groups)"), AT(train.solver), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("history", 0, "6", 3, 20, "N", SOLVER, "lbfgs, owlqn: steps remembered"), AT(train.history), true, NULL, 0},
    {TRAIN | ADAPT, REAL("rate", 0, "0", 0, 1e6, "X", SOLVER, "sgd, adagrad: first step size; 0 tries some on a sample"), AT(train.rate), true, NULL, 0},
    {TRAIN | ADAPT, NAME("pa-type", 0, "1", "0|1|2", "N", SOLVER, "pa: PA, PA-I or PA-II"), AT(train.pa_type), true, NULL, 0},
    {TRAIN | ADAPT, REAL("pa-c", 0, "1", 1e-12, 1e12, "X", SOLVER, "pa: how far a step of PA-I or PA-II may go"), AT(train.pa_c), true, NULL, 0},
    {TRAIN, REAL("dropout", 0, "0", 0, 0.9, "X", SOLVER, "sgd, adagrad, fobos: each example goes without this share of its features; 0 is off"), AT(train.dropout), true, NULL, 0},
    {TRAIN, NAME("dropout-by", 0, "auto", "auto|feature|template", "WHAT", SOLVER, "dropout: single features, or all of a template pattern together; auto is template where features have patterns"), AT(train.dropout_by), true, NULL, 0},
    {TRAIN | ADAPT, FLAG("correction", 0, SOLVER, "gis: with the correction feature"), AT(train.correction), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("seed", 0, "1", 0, 9007199254740992.0, "N", SOLVER, "of everything random"), AT(seed), true, NULL, 0},

    /* when to stop */
    {TRAIN | ADAPT, REAL("epsilon", 0, "1e-5", 0, 1e6, "X", STOP, "when |gradient| / max(1, |w|) is below X; 0 is off"), AT(train.stop.epsilon), true, NULL, 0},
    {TRAIN | ADAPT, REAL("delta", 0, "1e-6", 0, 1, "X", STOP, "when the objective fell by less than this share of itself in --period iterations; 0 is off"), AT(train.stop.delta), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("period", 0, "0", 0, 64, "N", STOP, "see --delta; 0: 10, or 5 epochs of dual ascent"), AT(train.stop.period), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("max-iterations", 0, "0", 0, 1e9, "N", STOP, "after N iterations; 0 is no limit, and 100 for perceptron, pa and fobos"), AT(train.stop.iterations), true, NULL, 0},
    {TRAIN | ADAPT, COUNT("max-passes", 0, "0", 0, 1e9, "N", STOP, "after N passes over the data; 0 is no limit"), AT(train.stop.passes), true, NULL, 0},
    {TRAIN | ADAPT, REAL("max-time", 0, "0", 0, 1e9, "SECONDS", STOP, "after so many seconds; 0 is no limit"), AT(train.stop.seconds), true, NULL, 0},
    {TRAIN, COUNT("patience", 0, "0", 0, 1e6, "N", STOP, "after N iterations without a better score on the development data; 0 is off"), AT(train.stop.patience), true, NULL, 0},

    /* pools */
    {TRAIN, NAME("pool", 0, "none", "none|bag|lop|elitist|dropout", "KIND", POOL, "train experts and let them vote: by feature bags, a partition (logarithmic opinion pool), together under the elitist penalty, or with feature dropout"), AT(pool.kind), true, NULL, 0},
    {TRAIN, COUNT("experts", 0, "0", 0, 64, "N", POOL, "how many; 0 is one for each bag or pattern, 2 for lop, 3 for elitist and dropout"), AT(pool.experts), true, NULL, 0},
    {TRAIN, NAME("partition", 0, "auto", "auto|bags|template|random|sequential", "HOW", POOL, "bag, lop: which expert sees which features; auto is by @bag lines of the template, else by its patterns, else random"), AT(pool.partition), true, NULL, 0},
    {TRAIN, NAME("combine", 0, "product", "product|mixture", "HOW", POOL, "bag, lop: multiply the experts' probabilities, or add them"), AT(pool.combine), true, NULL, 0},
    {TRAIN, NAME("per", 0, "sequence", "sequence|transition", "WHAT", POOL, "bag, lop: combine whole labellings, or label after label"), AT(pool.per), true, NULL, 0},
    {TRAIN, NAME("mix", 0, "chain", "chain|posterior|rescore", "HOW", POOL, "mixtures per sequence: decode by a chain with the same pair marginals, label by label, or by the experts' best lists"), AT(pool.mix), true, NULL, 0},
    {TRAIN, NAME("alphas", 0, "equal", "equal|grid|em|learn", "HOW", POOL, "weights of the experts: equal, or found on development data: by score, by EM (mixtures), by gradient (products)"), AT(pool.alphas), true, NULL, 0},
    {TRAIN, FLAG("free-alphas", 0, POOL, "learn: alphas need not be positive and sum to 1"), AT(pool.free_alphas), true, NULL, 0},
    {TRAIN, COUNT("alphas-folds", 0, "0", 0, 100, "K", POOL, "without development data, find alphas on K parts of the training data held out in turn"), AT(pool.held_out), true, NULL, 0},
    {TRAIN, REAL("elitist", 0, "0", 0, 1e12, "X", POOL, "elitist: X/2 times the sum over weights of (sum over experts of |w|)^2"), AT(train.elitist), true, NULL, 0},
    {TRAIN, NAME("prox", 0, "exact", "exact|approximate|norm", "HOW", POOL, "elitist: the proximal step; the approximation of the paper; or that of the norm, not squared"), AT(pool.prox), true, NULL, 0},
    {TRAIN, REAL("spread", 0, "0.1", 0, 100, "X", POOL, "elitist: experts start at random in [-X, X]"), AT(pool.spread), true, NULL, 0},

    /* studies */
    {TRAIN, COUNT("folds", 0, "0", 0, 1e6, "K", STUDY, "cross-validation: hold each of K parts out once; -o is then not needed"), AT(folds), false, NULL, 0},
    {TRAIN, TEXT("grid", 0, "SETTINGS", STUDY, "try each of several values, such as 'l2=0.1,1,10 l1=0,1', by --folds or on --dev, and train the best on all data"), AT(grid), false, NULL, 0},
    {TRAIN, FLAG("curve", 0, STUDY, "learning curve: train on nested subsets of the data, and score on --test or on a fifth held out"), AT(curve), false, NULL, 0},
    {TRAIN, COUNT("seeds", 0, "5", 2, 1e4, "N", STUDY, "curve: how many random orders of the data"), AT(seeds), false, NULL, 0},
    {TRAIN, PATH("plot", 0, "FILE", STUDY, "draw the curve, the grid or, of a single run, its convergence: .svg, .png or .pdf"), AT(plot), false, NULL, 0},
    {TRAIN, FLAG("json", 0, STUDY, "the table as JSON"), AT(study_json), false, NULL, 0},

    /* adaptation */
    {ADAPT, PATH("in", 0, "FILE", DOMAINS, "labelled data of the domain that matters"), AT(adapt_in), false, NULL, 0},
    {ADAPT, PATHS("out", 0, "FILE", DOMAINS, "labelled data of another domain; may be given again, each file is a domain"), AT(adapt_out), false, NULL, 0},
    {ADAPT, PATH("test", 0, "FILE", DOMAINS, "test data of the domain that matters, on which methods are compared"), AT(data.test), false, NULL, 0},
    {ADAPT, NAME("method", 0, "mega", "mega|mega-tied|only-in|only-out|interpolate|mix|mix-weighted|feats|prior|augment|all", "NAME", DOMAINS, "how; all trains every one and compares them on --test or by --folds"), AT(adapt.method), true, NULL, 0},
    {ADAPT, TEXT("tune", 0, "L2,L2", DOMAINS, "penalties, such as 0.1,1,10, of which each method takes what is best on a random tenth of the in-domain data, which is then folded back in"), AT(adapt.tune), true, NULL, 0},
    {ADAPT, NAME("optimizer", 0, "cem", "cem|lbfgs", "HOW", MEGA, "conditional EM, or all parameters at once by gradient"), AT(adapt.mega.optimizer), true, NULL, 0},
    {ADAPT, COUNT("mega-iterations", 0, "0", 0, 1e6, "N", MEGA, "0 is 5 of conditional EM, 100 of lbfgs; with --tune, at most so many"), AT(mega_iterations), true, NULL, 0},
    {ADAPT, COUNT("mega-steps", 0, "0", 0, 1e6, "N", MEGA, "cem: steps of L-BFGS for the weights in each iteration; 0 is 20"), AT(mega_steps), true, NULL, 0},
    {ADAPT, COUNT("nb-features", 0, "0", 0, 1e9, "N", MEGA, "features that tell the domain, the best by information gain; 0 is all"), AT(nb_features), true, NULL, 0},
    {ADAPT, REAL("beta-a", 0, "2", 1, 1e6, "X", MEGA, "Beta prior of the probability of a feature in a domain"), AT(adapt.mega.a), true, NULL, 0},
    {ADAPT, REAL("beta-b", 0, "2", 1, 1e6, "X", MEGA, "the other number of it"), AT(adapt.mega.b), true, NULL, 0},
    {ADAPT, COUNT("folds", 0, "0", 0, 1e6, "K", STUDY, "compare by cross-validation: hold each of K parts of the in-domain data out once"), AT(folds), false, NULL, 0},
    {ADAPT, FLAG("curve", 0, STUDY, "scores over the amount of in-domain data, of the method and of mega, prior, only-out and mix (or of all), on --test or on a fifth held out"), AT(curve), false, NULL, 0},
    {ADAPT, COUNT("seeds", 0, "5", 1, 1e4, "N", STUDY, "curve: how many random orders of the data"), AT(seeds), false, NULL, 0},
    {ADAPT, PATH("plot", 0, "FILE", STUDY, "draw the curve: .svg, .png or .pdf"), AT(plot), false, NULL, 0},
    {ADAPT, FLAG("json", 0, STUDY, "the table as JSON"), AT(study_json), false, NULL, 0},

    /* clustering */
    {CLUSTER, PATH("output", 'o', "MODEL", OUTPUT, "file to write a model to that assigns new items to the clusters"), AT(cluster.output), false, NULL, 0},
    {CLUSTER, NAME("format", 'f', "auto", "auto|rows|long|dense|svmlight", "NAME", DATA, "rows: item, feature:count ...; long: item, feature, count; dense: item, numbers; svmlight: index:value ..."), AT(cluster.items.format), false, NULL, 0},
    {CLUSTER, TEXT("columns", 0, "I,F,C", DATA, "long: which columns, from 0, are item, feature and count"), AT(cluster_columns), false, NULL, 0},
    {CLUSTER, PATH("only", 0, "FILE", DATA, "take only the items that the first column of this file names"), AT(cluster.items.only), false, NULL, 0},
    {CLUSTER, COUNT("least", 0, "0", 0, 1e18, "N", DATA, "leave out items with fewer occurrences than this in all"), AT(cluster.items.least), false, NULL, 0},
    {CLUSTER, NAME("weigh", 0, "none", "none|tf-idf", "HOW", DATA, "counts as they are, or times log(items / items with the feature)"), AT(cluster.items.weigh), false, NULL, 0},
    {CLUSTER, TEXT("reduce", 0, "nmf:N", DATA, "to N dimensions by non-negative matrix factorisation"), AT(cluster.reduce), false, NULL, 0},
    {CLUSTER, COUNT("nmf-starts", 0, "4", 1, 1e4, "N", DATA, "reduce: random starts, the best of which counts"), AT(cluster.nmf_starts), false, NULL, 0},
    {CLUSTER, REAL("total", 0, "0", 0, 1e12, "X", DATA, "scale each item to this sum, which sets how sharply items tell clusters apart; 0 is as they are, and 20 with --reduce"), AT(cluster.total), false, NULL, 0},
    {CLUSTER, NAME("likelihood", 0, "multinomial", "multinomial|gaussian|prior", "KIND", MIXTURE, "of counts, of real numbers, or none at all"), AT(cluster.dp.likelihood), false, NULL, 0},
    {CLUSTER, REAL("alpha", 0, NULL, 1e-12, 1e12, "X", MIXTURE, "concentration; without it, inferred"), AT(cluster.dp.start.alpha), false, NULL, 0},
    {CLUSTER, REAL("alpha-shape", 0, "1", 1e-9, 1e9, "X", MIXTURE, "of its Gamma prior"), AT(cluster.dp.alpha_shape), false, NULL, 0},
    {CLUSTER, REAL("alpha-rate", 0, "1", 1e-9, 1e9, "X", MIXTURE, "of its Gamma prior"), AT(cluster.dp.alpha_rate), false, NULL, 0},
    {CLUSTER, REAL("beta", 0, NULL, 1e-12, 1e12, "X", MIXTURE, "multinomial: Dirichlet parameter of each feature; gaussian: strength of the prior mean; without it, inferred"), AT(cluster_beta), false, NULL, 0},
    {CLUSTER, COUNT("chains", 0, "5", 1, 1000, "N", MIXTURE, "that are sampled side by side"), AT(cluster.chains), false, NULL, 0},
    {CLUSTER, COUNT("burn-in", 0, "100", 0, 1e9, "N", MIXTURE, "sweeps before the first sample"), AT(cluster.burn_in), false, NULL, 0},
    {CLUSTER, COUNT("samples", 0, "20", 1, 1e6, "N", MIXTURE, "of each chain"), AT(cluster.samples), false, NULL, 0},
    {CLUSTER, COUNT("lag", 0, "5", 1, 1e6, "N", MIXTURE, "sweeps between samples"), AT(cluster.lag), false, NULL, 0},
    {CLUSTER, COUNT("split-merge", 0, "5", 0, 1e6, "N", MIXTURE, "moves in each sweep that split or merge whole clusters"), AT(cluster.split_merge), false, NULL, 0},
    {CLUSTER, NAME("consensus", 0, "vi", "vi|binder", "LOSS", MIXTURE, "the clustering that is nearest to all samples, by variation of information or by pairs"), AT(cluster.consensus), false, NULL, 0},
    {CLUSTER, COUNT("seed", 0, "1", 0, 9007199254740992.0, "N", MIXTURE, "of everything random"), AT(seed), false, NULL, 0},
    {CLUSTER, PATH("links", 0, "FILE", QUESTIONS, "what is known of pairs: lines of item TAB item TAB must, cannot, must:0.9 or cannot:0.9"), AT(cluster.links), false, NULL, 0},
    {CLUSTER, COUNT("ask", 0, "0", 0, 1e9, "N", QUESTIONS, "ask N questions about pairs, those whose answers teach most"), AT(cluster.ask), false, NULL, 0},
    {CLUSTER, PATH("answers", 0, "FILE", QUESTIONS, "where answers are kept, each at once; the same command goes on after them"), AT(cluster.answers), false, NULL, 0},
    {CLUSTER, NAME("by", 0, "auto", "auto|gold|terminal|json", "WHO", QUESTIONS, "who answers: the true classes, a person, or a program that reads and writes lines of JSON; auto is gold where there is --gold, else terminal"), OUTSIDE, false, NULL, 0},
    {CLUSTER, PATH("gold", 0, "FILE", QUESTIONS, "true classes, item TAB class: answers, and scores in the report"), AT(cluster.gold), false, NULL, 0},
    {CLUSTER, COUNT("batch", 0, "1", 1, 1e6, "N", QUESTIONS, "questions between draws of samples"), AT(cluster.batch), false, NULL, 0},
    {CLUSTER, NAME("batch-mode", 0, "naive", "naive|filtered", "HOW", QUESTIONS, "the best N at once, or one after the other by the samples that agree with the answers"), AT(cluster.batch_mode), false, NULL, 0},
    {CLUSTER, COUNT("threshold", 0, "10", 1, 1e6, "N", QUESTIONS, "filtered: draw again when fewer samples agree"), AT(cluster.threshold), false, NULL, 0},
    {CLUSTER, NAME("select", 0, "active", "active|random", "HOW", QUESTIONS, "the least certain pairs, or any"), AT(cluster.select), false, NULL, 0},
    {CLUSTER, COUNT("again", 0, "10", 0, 1e9, "N", QUESTIONS, "sweeps under new links before samples are drawn"), AT(cluster.again), false, NULL, 0},
    {CLUSTER, FLAG("afresh", 0, QUESTIONS, "start the chains anew under new links, with all of --burn-in (slow)"), AT(cluster.afresh), false, NULL, 0},
    {CLUSTER, COUNT("top", 0, "8", 0, 1e6, "N", OUTPUT, "telling features to show for each cluster"), AT(cluster.top), false, NULL, 0},
    {CLUSTER, PATH("assignments", 0, "FILE", OUTPUT, "write item TAB cluster"), AT(cluster.assignments_file), false, NULL, 0},
    {CLUSTER, PATH("samples-file", 0, "FILE", OUTPUT, "write item TAB cluster TAB cluster ..., a column for each sample, for eval --clusters"), AT(cluster.samples_file), false, NULL, 0},
    {CLUSTER, PATH("members", 0, "FILE", OUTPUT, "write how often each pair is together"), AT(cluster.members_file), false, NULL, 0},
    {CLUSTER, PATH("plot", 0, "FILE", OUTPUT, "draw scores over answers: .svg, .png or .pdf"), AT(cluster.plot), false, NULL, 0},
    {CLUSTER, PATH("plot-members", 0, "FILE", OUTPUT, "draw how often each pair is together"), AT(cluster.plot_members), false, NULL, 0},
    {CLUSTER, FLAG("json", 0, OUTPUT, "the report as JSON"), AT(cluster.json), false, NULL, 0},

    /* tagging */
    {TAG, FLAG("probabilities", 'p', OUTPUT, "add label:probability of every class (for sequences, its marginal probability)"), AT(tag.probabilities), false, NULL, 0},
    {TAG, COUNT("top", 0, "0", 0, 1e6, "N", OUTPUT, "add label:probability of the N best classes, best first"), AT(tag.top), false, NULL, 0},
    {TAG, FLAG("label-probability", 0, OUTPUT, "add the probability of the label"), AT(tag.label_probability), false, NULL, 0},
    {TAG, FLAG("domain", 0, OUTPUT, "models of adapt: add p(general | token), how much what all domains share has a say"), AT(tag.domain), false, NULL, 0},
    {TAG, FLAG("sequence-probability", 0, OUTPUT, "crf, memm: write '# p' before each sequence, the probability of its labels together"), AT(tag.sequence_probability), false, NULL, 0},
    {TAG, COUNT("nbest", 'n', "0", 0, 1e6, "N", OUTPUT, "crf, memm: write the N most probable labellings of each sequence, each after a line '# rank p'"), AT(tag.nbest), false, NULL, 0},
    {TAG, FLAG("segments", 0, OUTPUT, "crf, memm: add the probability of each segment (chunk, entity) at its first token"), AT(tag.segments), false, NULL, 0},
    {TAG, NAME("decode", 0, "viterbi", "viterbi|posterior", "HOW", DECODE, "the most probable labelling, or the most probable label at each token"), AT(tag.decode), false, NULL, 0},
    {TAG, NAME("scheme", 0, "none", "none|io|iob1|iob2|iobes|bilou", "NAME", DECODE, "forbid what this scheme of labels does not allow; probabilities are then given that"), AT(tag.scheme), false, NULL, 0},
    {TAG, TEXTS("drop", 0, "GLOB", DECODE, "ignore features whose names fit, such as 'U2*'; may be given again"), AT(tag.drop), false, NULL, 0},
    {TAG, FLAG("forced", 0, DECODE, "labels in the input are given: 'a' is this one, 'a|b' one of these, '?' any"), AT(tag.forced), false, NULL, 0},

    /* evaluation */
    {EVAL, TEXT("delimiter", 'd', "C", DATA, "the character between columns; without it TAB or, in lines that have none, blanks"), AT(eval.delimiter), false, NULL, 0},
    {EVAL, PATH("gold", 0, "FILE", DATA, "take the true labels from the last column of this file"), AT(eval.gold), false, NULL, 0},
    {EVAL, COUNT("word", 0, "0", 0, 1e6, "N", DATA, "the column of the words, from 0"), AT(eval.word), false, NULL, 0},
    {EVAL, FLAG("probabilities", 'p', DATA, "the data has the columns of `tag --probabilities`: adds log-loss and calibration"), AT(eval.probabilities), false, NULL, 0},
    {EVAL, NAME("scheme", 0, "any", "any|io|iob1|iob2|iobes|bilou", "NAME", LABELS, "how labels tell of chunks; any reads all of them, and other labels as classes"), AT(eval.scheme), false, NULL, 0},
    {EVAL, FLAG("strict", 0, LABELS, "chunks whose labels the scheme does not allow are none"), AT(eval.strict), false, NULL, 0},
    {EVAL, FLAG("classes", 0, LABELS, "labels are classes, whatever they look like"), AT(eval.classes), false, NULL, 0},
    {EVAL, FLAG("raw", 'r', LABELS, "labels are types, and each token is a chunk by itself"), AT(eval.raw), false, NULL, 0},
    {EVAL, TEXT("outside", 'o', "LABEL", LABELS, "another name for O"), AT(eval.outside), false, NULL, 0},
    {EVAL, PATHS("known", 0, "DATA", ASK, "training data: scores apart for words and chunks that it has and that it lacks; may be given again"), AT(eval.known), false, NULL, 0},
    {EVAL, PATHS("against", 0, "TAGGED", ASK, "another system on the same tokens: is the difference more than luck? May be given again"), AT(eval.against), false, NULL, 0},
    {EVAL, NAME("unit", 0, "sentence", "sentence|document", "WHAT", ASK, "against: what is drawn again and again; documents begin with -DOCSTART-"), AT(eval.unit), false, NULL, 0},
    {EVAL, COUNT("resamples", 0, "10000", 100, 1e8, "N", ASK, "against: how often"), AT(eval.resamples), false, NULL, 0},
    {EVAL, COUNT("seed", 0, "1", 0, 9007199254740992.0, "N", ASK, "against: of the draws"), AT(seed), false, NULL, 0},
    {EVAL, PATH("model", 'm', "MODEL", ASK, "tag DATA with this model and score it, with all features and without those of each --drop"), OUTSIDE, false, NULL, 0},
    {EVAL, TEXTS("drop", 0, "GLOB", ASK, "model: features to go without, such as 'U2*'; each one given is a run of its own"), AT(drop), false, NULL, 0},
    {EVAL, PATH("clusters", 0, "GOLD", ASK, "TAGGED are clusterings, lines of item TAB cluster (a column for each sample); GOLD has item TAB class"), AT(eval.clusters), false, NULL, 0},
    {EVAL, FLAG("conlleval", 0, OUTPUT, "what conlleval prints and nothing else"), AT(eval.conlleval), false, NULL, 0},
    {EVAL, FLAG("latex", 'l', OUTPUT, "that as a table for LaTeX"), AT(eval.latex), false, NULL, 0},
    {EVAL, FLAG("confusion", 0, OUTPUT, "print the matrix of gold against predicted classes"), AT(eval.confusion), false, NULL, 0},
    {EVAL, COUNT("bins", 0, "10", 2, 1000, "N", OUTPUT, "rows of the calibration table"), AT(eval.bins), false, NULL, 0},
    {EVAL, PATH("plot-confusion", 0, "FILE", OUTPUT, "draw the confusions: .svg, .png or .pdf"), AT(eval.plot_confusion), false, NULL, 0},
    {EVAL, PATH("plot-calibration", 0, "FILE", OUTPUT, "draw accuracy against confidence: .svg, .png or .pdf"), AT(eval.plot_calibration), false, NULL, 0},
    {EVAL, FLAG("json", 0, OUTPUT, "everything as JSON"), AT(eval.json), false, NULL, 0},

    /* converting */
    {CONVERT, NAME("scheme", 0, "none", "none|io|iob1|iob2|iobes|bilou", "NAME", LABELS, "FROM is data in columns: write its labels in this scheme"), AT(rescheme.to), false, NULL, 0},
    {CONVERT, COUNT("label-columns", 0, "1", 1, 1000, "N", LABELS, "scheme: how many columns at the end of a line are labels"), AT(rescheme.columns), false, NULL, 0},

    /* inspecting */
    {INSPECT, COUNT("top", 0, "10", 1, 1e9, "N", OUTPUT, "strongest features to show for each class"), AT(inspect.top), false, NULL, 0},
    {INSPECT, PATH("expectations", 0, "DATA", OUTPUT, "for each feature and class: raw count, empirical and model expectation over this data"), AT(inspect.expectations), false, NULL, 0},
    {INSPECT, TEXT("explain", 0, "LINE", OUTPUT, "what each feature of this line of input adds to each class"), AT(inspect.explain), false, NULL, 0},
    {INSPECT, PATH("members", 0, "DATA", OUTPUT, "pools: each expert's own score on this data, the pool's, and how much they disagree"), AT(inspect.members), false, NULL, 0},
    {INSPECT, FLAG("dump", 0, OUTPUT, "the whole model as exact text, which `convert` reads back"), AT(inspect.dump), false, NULL, 0},
    {INSPECT, FLAG("json", 0, OUTPUT, "the answer as JSON"), AT(inspect.json), false, NULL, 0},

    /* running */
    {TRAIN | TAG | INSPECT | EVAL | ADAPT | CLUSTER, COUNT("threads", 't', "0", 0, 4096, "N", RUN, "0 asks the machine; results do not depend on it"), AT(threads), false, NULL, 0},
    {TRAIN, TEXT("memory", 0, "SIZE", RUN, "refuse to train when more would be needed, such as 800M or 4G"), AT(train.memory), false, NULL, 0},
    {TRAIN, FLAG("resume", 0, RUN, "go on from MODEL.checkpoint, which an interrupted run left"), AT(train.resume), false, NULL, 0},
    {TRAIN, REAL("checkpoint", 0, "60", 0, 1e9, "SECONDS", RUN, "time between checkpoints; 0 writes none"), AT(train.checkpoint), false, NULL, 0},
    {TRAIN | TAG | EVAL | INSPECT | CONVERT | FEATURES | ADAPT | CLUSTER, FLAG("quiet", 'q', RUN, "say nothing but errors on standard error"), OUTSIDE, false, NULL, 0},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)CAU_OPTIONS_MAX, "caucus_options has too few texts");

static unsigned verb_bit(const char *verb)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i].name) == 0) return verbs[i].bit;
    return 0;
}

static const char *verb_name(unsigned bit)
{
    size_t i = 0;
    while (verbs[i].bit != bit) i++;
    return verbs[i].name;
}

static const row *find_row(unsigned verb, const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].verbs & verb) && strcmp(rows[i].info.name, name) == 0) return &rows[i];
    return NULL;
}

const caucus_option_info *caucus_option_at(const char *verb, size_t index)
{
    unsigned bit = verb_bit(verb);
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].verbs & bit) && index-- == 0) return &rows[i].info;
    return NULL;
}

/* The valid name that is nearest to a wrong one: by edits, or as a part of the other
 * ("iterations" of "max-iterations"). NULL when none is near. */
static const char *nearest(unsigned verb, const char *name)
{
    const char *best = NULL;
    size_t least = 4; /* more than three edits is another word */
    for (size_t i = 0; i < ROWS; i++) {
        const char *valid = rows[i].info.name;
        if (!(rows[i].verbs & verb)) continue;
        size_t distance = cau_edit_distance(name, valid);
        if (strlen(name) > 3 && strstr(valid, name)) distance = 3;
        if (distance < least && distance < strlen(valid)) {
            least = distance;
            best = valid;
        }
    }
    return best;
}

/* Which of "a|b|c" a text is: its index, or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t n = strlen(text);
    int index = 0;
    for (const char *at = choices;; at++, index++) {
        size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, text, n) == 0) return index;
        at += length;
        if (!*at) return -1;
    }
}

static bool is_list(const caucus_option_info *info)
{
    return info->kind == CAUCUS_OPTION_FILES || info->kind == CAUCUS_OPTION_TEXTS;
}

/* One more path or text. Earlier lists stay in the arena, which is small and dies with the options.
 */
static caucus_status add_path(caucus_ctx *ctx, caucus_options *options, cau_paths *paths,
                              const char *path)
{
    const char **more = cau_arena_alloc(&options->arena, paths->count + 1, sizeof(char *));
    if (!more) return cau_fail_memory(ctx, "an option");
    for (size_t i = 0; i < paths->count; i++) more[i] = paths->path[i];
    more[paths->count] = path;
    *paths = (cau_paths){paths->count + 1, more};
    return CAUCUS_OK;
}

/* Checks a value against its row and writes it into the field. A NULL text is the value of a
 * flag that stands alone. `text` must live as long as the options: paths point into it. */
static caucus_status assign(caucus_ctx *ctx, caucus_options *options, const row *r,
                            const char *text)
{
    const caucus_option_info *info = &r->info;
    char *field = r->field == OUTSIDE ? NULL : (char *)options + r->field;
    size_t n = strlen(text);
    uint64_t count = 0;
    double real = 0;

    switch (info->kind) {
    case CAUCUS_OPTION_FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s takes no value; leave out '%s', or write 0 or 1", info->name,
                            text);
        if (field) *(bool *)field = text[0] == '1';
        break;
    case CAUCUS_OPTION_COUNT:
        if (!cau_parse_count(text, n, &count) || (double)count < info->min ||
            (double)count > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s %s: not a whole number from %.0f to %.0f; see --help", info->name,
                            text, info->min, info->max);
        if (field) *(uint64_t *)field = count;
        break;
    case CAUCUS_OPTION_REAL:
        if (!cau_parse_real(text, n, &real) || !isfinite(real) || real < info->min ||
            real > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s %s: not a number from %g to %g; see --help", info->name, text,
                            info->min, info->max);
        if (field) *(double *)field = real;
        break;
    case CAUCUS_OPTION_NAME: {
        int index = choice_index(info->choices, text);
        if (index < 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s %s: no such choice; take one of %s",
                            info->name, text, info->choices);
        if (field) *(int *)field = index;
        break;
    }
    case CAUCUS_OPTION_TEXT:
    case CAUCUS_OPTION_FILE:
        if (n == 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s: an empty value; see --help",
                            info->name);
        if (field) *(const char **)field = text;
        break;
    case CAUCUS_OPTION_FILES:
    case CAUCUS_OPTION_TEXTS:
        if (n == 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s: an empty value; see --help",
                            info->name);
        return add_path(ctx, options, (cau_paths *)field, text);
    }
    return CAUCUS_OK;
}

caucus_status caucus_options_new(caucus_ctx *ctx, const char *verb, caucus_options **out)
{
    unsigned bit = verb_bit(verb);
    if (!bit)
        return cau_fail(
            ctx, CAUCUS_ERR_ARGUMENT,
            "there is no verb '%s'; take train, tag, eval, adapt, cluster, inspect, convert "
            "or features",
            verb);
    caucus_options *options = cau_calloc(1, sizeof *options);
    if (!options) return cau_fail_memory(ctx, "the options");
    options->verb = bit;
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        if (!(r->verbs & bit) || !r->info.standard) continue;
        caucus_status st = assign(ctx, options, r, r->info.standard);
        if (st) {
            caucus_options_free(options);
            return st;
        }
    }
    *out = options;
    return CAUCUS_OK;
}

void caucus_options_free(caucus_options *options)
{
    if (!options) return;
    cau_arena_clear(&options->arena);
    free(options);
}

/* The row whose field already has a value that a synonym set, or that was set itself. */
static const row *rival(const caucus_options *options, const row *r)
{
    const char *target = r->synonym ? r->synonym : r->info.name;
    for (size_t i = 0; i < ROWS; i++) {
        const row *other = &rows[i];
        if (other == r || !options->text[i]) continue;
        const char *theirs = other->synonym ? other->synonym : other->info.name;
        if (strcmp(theirs, target) == 0) return other;
    }
    return NULL;
}

caucus_status caucus_options_set(caucus_ctx *ctx, caucus_options *options, const char *name,
                                 const char *value)
{
    const row *r = find_row(options->verb, name);
    if (!r) {
        const char *near = nearest(options->verb, name);
        return near ? cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                               "there is no option --%s; did you mean --%s?", name, near)
                    : cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                               "there is no option --%s; --help lists them", name);
    }
    if (!value && r->info.kind != CAUCUS_OPTION_FLAG)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s needs a value: --%s %s", name, name,
                        r->info.value);
    const row *other = rival(options, r);
    if (other)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--%s and --%s set the same thing; give one of them", other->info.name,
                        name);

    if (!value) value = "1";
    const char *text = cau_arena_copy(&options->arena, value, strlen(value));
    if (!text) return cau_fail_memory(ctx, "an option");
    caucus_status st = assign(ctx, options, r, text);
    if (st) return st;
    if (r->synonym) {
        const row *target = find_row(options->verb, r->synonym);
        double x = 0;
        cau_parse_real(text, strlen(text), &x);
        if (r->convert == TWICE) x *= 2;
        if (r->convert == INVERSE) x = 1 / x;
        *(double *)((char *)options + target->field) = x;
    }
    options->text[r - rows] = text;
    return CAUCUS_OK;
}

const char *caucus_options_get(const caucus_options *options, const char *name)
{
    const row *r = find_row(options->verb, name);
    if (!r) return NULL;
    return options->text[r - rows] ? options->text[r - rows] : r->info.standard;
}

const char *caucus_options_get_at(const caucus_options *options, const char *name, size_t index)
{
    const row *r = find_row(options->verb, name);
    if (!r || !is_list(&r->info)) return r && index == 0 ? caucus_options_get(options, name) : NULL;
    const cau_paths *paths = (const cau_paths *)((const char *)options + r->field);
    return index < paths->count ? paths->path[index] : NULL;
}

caucus_status cau_options_copy(caucus_ctx *ctx, const caucus_options *options, caucus_options **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_options *copy = NULL;
    TRY(caucus_options_new(ctx, verb_name(options->verb), &copy));
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        if (!options->text[i]) continue;
        if (!is_list(&r->info)) {
            TRY(caucus_options_set(ctx, copy, r->info.name, options->text[i]));
            continue;
        }
        const cau_paths *paths = (const cau_paths *)((const char *)options + r->field);
        for (size_t p = 0; p < paths->count; p++)
            TRY(caucus_options_set(ctx, copy, r->info.name, paths->path[p]));
    }
    *out = copy;
    copy = NULL;
done:
    caucus_options_free(copy);
    return st;
}

const caucus_option_info *cau_options_varies(const caucus_options *options, const char *name,
                                             bool *penalty)
{
    const row *r = find_row(options->verb, name);
    if (!r || r->info.kind == CAUCUS_OPTION_TEXT || r->info.kind == CAUCUS_OPTION_FILE ||
        is_list(&r->info))
        return NULL;
    const char *group = r->info.group;
    if (strcmp(group, MODEL) != 0 && strcmp(group, SOLVER) != 0 && strcmp(group, POOL) != 0 &&
        strcmp(group, STOP) != 0)
        return NULL;
    *penalty = r->synonym || strcmp(name, "l1") == 0 || strcmp(name, "l2") == 0 ||
               strcmp(name, "elitist") == 0;
    return &r->info;
}

bool cau_options_is_set(const caucus_options *options, const char *name)
{
    const row *r = find_row(options->verb, name);
    return r && options->text[r - rows];
}

/* Whether a text is just another way to write the default. */
static bool is_standard(const row *r, const char *text)
{
    double x, standard;
    const char *usual = r->info.standard;
    if (!usual) return false;
    if (r->info.kind != CAUCUS_OPTION_COUNT && r->info.kind != CAUCUS_OPTION_REAL)
        return strcmp(text, usual) == 0;
    return cau_parse_real(text, strlen(text), &x) &&
           cau_parse_real(usual, strlen(usual), &standard) && x == standard;
}

/* Two ways of asking for the same model give the same file: defaults are not noted, and
 * penalties always are, by their own names and in our unit whatever they were called. */
void cau_options_kept(const caucus_options *options, cau_options_which which, cau_strbuf *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        if (!r->kept || !(r->verbs & options->verb)) continue;
        if (which == CAU_OPTIONS_SHAPE && strcmp(r->info.group, STOP) == 0) continue;
        if (strcmp(r->info.name, "l1") == 0 || strcmp(r->info.name, "l2") == 0) {
            double x = *(const double *)((const char *)options + r->field);
            cau_strbuf_printf(out, "option.%s\t%.17g\n", r->info.name, x);
        } else if (options->text[i] && !is_standard(r, options->text[i])) {
            const char *text = options->text[i];
            cau_strbuf_printf(out, "option.%s\t", r->info.name);
            cau_strbuf_escape(out, (cau_str){text, strlen(text)});
            cau_strbuf_add(out, "\n", 1);
        }
    }
}
