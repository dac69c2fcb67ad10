/* options.c - one row for each option of each command.
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
} commands[] = {
    {"train", TRAIN},     {"tag", TAG},           {"eval", EVAL},   {"inspect", INSPECT},
    {"convert", CONVERT}, {"features", FEATURES}, {"adapt", ADAPT}, {"cluster", CLUSTER},
};

/* How the unit of another tool is converted into ours. */
typedef enum { SAME_UNIT, TWICE, INVERSE } unit_conversion;

typedef struct {
    unsigned commands;
    unsigned kept; /* KEPT: noted in the model file */
    caucus_option_info info;
    size_t field;            /* offset in caucus_options; rows of one command that share a field
                                exclude each other */
    unit_conversion convert; /* of REAL */
    const char *renamed;     /* of NAME: "old=new", a choice that had another name */
} option_row;

enum { KEPT = 1 };

/* The offset of a member. A member whose type does not fit the kind of the row does not compile.
 * (size_t is another name of uint64_t on some systems, and a type of its own on others.) */
#define MEMBER(name) (((caucus_options *)NULL)->name)
#define FIELD(type, member) _Generic(MEMBER(member), type : offsetof(caucus_options, member))
#define COUNT_FIELD(member)                                                                        \
    _Generic(MEMBER(member), uint64_t                                                              \
             : offsetof(caucus_options, member), default                                           \
             : _Generic(MEMBER(member), size_t                                                     \
                        : offsetof(caucus_options, member)))
#define CHOICE_FIELD(member)                                                                       \
    _Generic(MEMBER(member), int                                                                   \
             : offsetof(caucus_options, member), unsigned                                          \
             : offsetof(caucus_options, member))
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are stored as 64 bits");

#define FLAG(name_, letter_, member, group_, help_)                                                \
    .field = FIELD(bool, member), .info = {.name = name_,                                          \
                                           .letter = letter_,                                      \
                                           .kind = CAUCUS_OPTION_FLAG,                             \
                                           .standard = "0",                                        \
                                           .max = 1,                                               \
                                           .group = group_,                                        \
                                           .help = help_}
#define NUMBER(kind_, field_, name_, letter_, standard_, min_, max_, value_, group_, help_)        \
    .field = field_, .info = {.name = name_,                                                       \
                              .letter = letter_,                                                   \
                              .kind = kind_,                                                       \
                              .standard = standard_,                                               \
                              .min = min_,                                                         \
                              .max = max_,                                                         \
                              .value = value_,                                                     \
                              .group = group_,                                                     \
                              .help = help_}
#define COUNT(name, letter, member, ...)                                                           \
    NUMBER(CAUCUS_OPTION_COUNT, COUNT_FIELD(member), name, letter, __VA_ARGS__)
#define REAL(name, letter, member, ...)                                                            \
    NUMBER(CAUCUS_OPTION_REAL, FIELD(double, member), name, letter, __VA_ARGS__)
#define NAME(name_, letter_, member, standard_, choices_, value_, group_, help_)                   \
    .field = CHOICE_FIELD(member), .info = {.name = name_,                                         \
                                            .letter = letter_,                                     \
                                            .kind = CAUCUS_OPTION_NAME,                            \
                                            .standard = standard_,                                 \
                                            .choices = choices_,                                   \
                                            .value = value_,                                       \
                                            .group = group_,                                       \
                                            .help = help_}
#define WORDS(kind_, field_, name_, letter_, value_, group_, help_)                                \
    .field = field_, .info = {.name = name_,                                                       \
                              .letter = letter_,                                                   \
                              .kind = kind_,                                                       \
                              .value = value_,                                                     \
                              .group = group_,                                                     \
                              .help = help_}
#define TEXT(name, letter, member, ...)                                                            \
    WORDS(CAUCUS_OPTION_TEXT, FIELD(const char *, member), name, letter, __VA_ARGS__)
#define PATH(name, letter, member, ...)                                                            \
    WORDS(CAUCUS_OPTION_FILE, FIELD(const char *, member), name, letter, __VA_ARGS__)
#define TEXTS(name, letter, member, ...)                                                           \
    WORDS(CAUCUS_OPTION_TEXTS, FIELD(cau_paths, member), name, letter, __VA_ARGS__)
#define PATHS(name, letter, member, ...)                                                           \
    WORDS(CAUCUS_OPTION_FILES, FIELD(cau_paths, member), name, letter, __VA_ARGS__)

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
static const option_row rows[] = {
    /* files */
    {TRAIN | ADAPT, 0, PATH("output", 'o', train.output, "MODEL", OUTPUT, "file to write the model to")},
    {TAG, 0, PATH("model", 'm', program.model, "MODEL", DATA, "the model to apply")},

    /* data */
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT, 0, NAME("format", 'f', data.read.format, "auto", FORMATS, "NAME", DATA, "how the data is written; auto looks at the first lines, and is the format of the model once there is one")},
    {TRAIN | FEATURES | ADAPT, KEPT, PATH("template", 'T', data.template, "FILE", DATA, "columns: how features are made of them, in the language of CRF++ and Wapiti and beyond; without it, a general one")},
    {TRAIN | FEATURES | ADAPT, KEPT, FLAG("comments", 0, data.read.comments, DATA, "columns: lines that begin with # are comments")},
    {TRAIN | FEATURES | ADAPT, KEPT, FLAG("docstart", 0, data.read.docstart, DATA, "columns: lines that begin with -DOCSTART- end a sequence and are left out")},
    {TRAIN, KEPT, PATH("dev", 'd', data.dev, "FILE", DATA, "development data: its accuracy is shown, and the best model on it is kept")},
    {TRAIN, KEPT, REAL("dev-fraction", 0, data.dev_fraction, "0", 0, 0.9, "X", DATA, "set this share of the training data aside as development data")},
    {TRAIN, 0, PATH("test", 0, data.test, "FILE", DATA, "test data: its accuracy is shown, and learning curves are measured on it")},
    {TRAIN, 0, TEXT("by", 0, data.by, "UNIT", DATA, "what studies keep together: sequence, document (between -DOCSTART- lines), file, or the number of a column, from 0, that names the group")},
    {TRAIN | ADAPT, KEPT, COUNT("cutoff", 0, data.cutoff, "1", 0, 1e9, "N", DATA, "drop features that occur in fewer than N instances")},
    {TRAIN | ADAPT, KEPT, COUNT("ngrams", 0, data.read.ngrams, "1", 1, 8, "N", DATA, "text: word n-grams up to length N")},
    {TRAIN | ADAPT, KEPT, FLAG("lower", 0, data.read.lower, DATA, "text: change to lower case first")},
    {TRAIN | ADAPT, KEPT, FLAG("counts", 0, data.read.counts, DATA, "text: count words instead of noting their presence")},
    {TRAIN | ADAPT, KEPT, FLAG("values", 0, data.read.values, DATA, "megam: each feature is followed by its value (-fvals)")},

    /* model and penalties */
    {TRAIN, KEPT, NAME("model", 0, train.model, "auto", "auto|maxent|memm|crf", "KIND", MODEL, "a classifier, or a sequence model that is normalised by position or by sequence; auto is crf for data in sequences, else maxent")},
    {ADAPT, KEPT, NAME("model", 0, train.model, "auto", "auto|maxent|memm|crf", "KIND", MODEL, "a classifier, or a sequence model that is normalised by position or by sequence; auto is memm for data in sequences, else maxent; mega cannot be a crf")},
    {TRAIN | ADAPT, KEPT, REAL("l2", 0, train.l2, "1", 0, 1e12, "X", MODEL, "l2 penalty: X/2 times the sum of w^2; 0 is off")},
    {TRAIN, KEPT, REAL("l1", 0, train.l1, "0", 0, 1e12, "X", MODEL, "l1 penalty: X times the sum of |w|; 0 is off")},
    {TRAIN, KEPT, NAME("group", 0, train.group, "none", "none|feature|template", "WHAT", MODEL, "with --l1, keep or drop all weights of a feature, or of all features of a template pattern, together")},
    {TRAIN | ADAPT, 0, REAL("c2", 0, train.l2, NULL, 0, 1e12, "X", MODEL, "l2 as CRFsuite counts it: l2 = 2X"), .convert = TWICE},
    {TRAIN, 0, REAL("c1", 0, train.l1, NULL, 0, 1e12, "X", MODEL, "l1 as CRFsuite calls it: l1 = X")},
    {TRAIN | ADAPT, 0, REAL("C", 0, train.l2, NULL, 1e-12, 1e12, "X", MODEL, "l2 as LIBLINEAR, scikit-learn and CRF++ count it: l2 = 1/X"), .convert = INVERSE},
    {TRAIN | ADAPT, 0, REAL("sigma2", 0, train.l2, NULL, 1e-12, 1e12, "X", MODEL, "l2 as a Gaussian variance, like MALLET: l2 = 1/X"), .convert = INVERSE},
    {TRAIN | ADAPT, 0, REAL("rho2", 0, train.l2, NULL, 0, 1e12, "X", MODEL, "l2 as Wapiti calls it: l2 = X")},
    {TRAIN, 0, REAL("rho1", 0, train.l1, NULL, 0, 1e12, "X", MODEL, "l1 as Wapiti calls it: l1 = X")},
    {TRAIN | ADAPT, 0, REAL("lambda", 0, train.l2, NULL, 0, 1e12, "X", MODEL, "l2 as MegaM calls it: l2 = X")},
    {TRAIN, KEPT, PATH("mean", 0, train.mean, "MODEL", MODEL, "pull the weights to those of this model instead of to 0")},
    {TRAIN | ADAPT, KEPT, FLAG("no-bias", 0, train.no_bias, MODEL, "no default weight for each class")},
    {TRAIN, KEPT, PATH("from", 0, train.from, "MODEL", MODEL, "start with the weights, the features and the labels of this model")},
    {TRAIN | ADAPT, KEPT, NAME("states", 0, train.states, "auto", "auto|all|seen", "WHICH", MODEL, "weights for all pairs of feature and class, or only for those that occur; auto is seen for sequence models, else all")},
    {TRAIN | ADAPT, KEPT, NAME("transitions", 0, train.transitions, "all", "all|seen", "WHICH", MODEL, "crf, memm: weights for all pairs of labels, or only for those that follow each other in the data")},
    {TRAIN | ADAPT, KEPT, TEXT("class-weight", 0, train.class_weight, "WEIGHTS", MODEL, "\"balanced\", or label=weight,label=weight")},

    /* solver */
    {TRAIN | ADAPT, KEPT, NAME("solver", 0, train.solver, "auto", "auto|lbfgs|owlqn|gis|iis|sgd|adagrad|sdca|perceptron|pa|fobos|proximal", "NAME", SOLVER, "auto is sdca for sequence models with a penalty that is not weak, else lbfgs, or owlqn with an l1 penalty (proximal with groups)"), .renamed = "dual=sdca"},
    {TRAIN | ADAPT, KEPT, COUNT("history", 0, train.history, "6", 3, 20, "N", SOLVER, "lbfgs, owlqn: steps remembered")},
    {TRAIN | ADAPT, KEPT, REAL("rate", 0, train.rate, "0", 0, 1e6, "X", SOLVER, "sgd, adagrad: first step size; 0 tries some on a sample")},
    {TRAIN | ADAPT, KEPT, NAME("pa-type", 0, train.pa_type, "1", "0|1|2", "N", SOLVER, "pa: PA, PA-I or PA-II")},
    {TRAIN | ADAPT, KEPT, REAL("pa-c", 0, train.pa_c, "1", 1e-12, 1e12, "X", SOLVER, "pa: how far a step of PA-I or PA-II may go")},
    {TRAIN, KEPT, REAL("dropout", 0, train.dropout, "0", 0, 0.9, "X", SOLVER, "sgd, adagrad, fobos: each example goes without this share of its features; 0 is off")},
    {TRAIN, KEPT, NAME("dropout-by", 0, train.dropout_by, "auto", "auto|feature|template", "WHAT", SOLVER, "dropout: single features, or all of a template pattern together; auto is template where features have patterns")},
    {TRAIN | ADAPT, KEPT, FLAG("correction", 0, train.correction, SOLVER, "gis: with the correction feature")},
    {TRAIN | ADAPT, KEPT, COUNT("seed", 0, seed, "1", 0, 9007199254740992.0, "N", SOLVER, "of everything random")},

    /* when to stop */
    {TRAIN | ADAPT, KEPT, REAL("epsilon", 0, train.stop.epsilon, "1e-5", 0, 1e6, "X", STOP, "when |gradient| / max(1, |w|) is below X; 0 is off")},
    {TRAIN | ADAPT, KEPT, REAL("delta", 0, train.stop.delta, "1e-6", 0, 1, "X", STOP, "when the objective fell by less than this share of itself in --period iterations; 0 is off")},
    {TRAIN | ADAPT, KEPT, COUNT("period", 0, train.stop.period, "0", 0, 64, "N", STOP, "see --delta; 0: 10, or 5 epochs of sdca")},
    {TRAIN | ADAPT, KEPT, COUNT("max-iterations", 0, train.stop.iterations, "0", 0, 1e9, "N", STOP, "after N iterations; 0 is no limit, and 100 for perceptron, pa and fobos")},
    {TRAIN | ADAPT, KEPT, COUNT("max-passes", 0, train.stop.passes, "0", 0, 1e9, "N", STOP, "after N passes over the data; 0 is no limit")},
    {TRAIN | ADAPT, KEPT, REAL("max-time", 0, train.stop.seconds, "0", 0, 1e9, "SECONDS", STOP, "after so many seconds; 0 is no limit")},
    {TRAIN, KEPT, COUNT("patience", 0, train.stop.patience, "0", 0, 1e6, "N", STOP, "after N iterations without a better score on the development data; 0 is off")},

    /* pools */
    {TRAIN, KEPT, NAME("pool", 0, pool.kind, "none", "none|bag|lop|elitist|dropout", "KIND", POOL, "train experts and let them vote: by feature bags, a partition (logarithmic opinion pool), together under the elitist penalty, or with feature dropout")},
    {TRAIN, KEPT, COUNT("experts", 0, pool.experts, "0", 0, 64, "N", POOL, "how many; 0 is one for each bag or pattern, 2 for lop, 3 for elitist and dropout")},
    {TRAIN, KEPT, NAME("partition", 0, pool.partition, "auto", "auto|bags|template|random|sequential", "HOW", POOL, "bag, lop: which expert sees which features; auto is by @bag lines of the template, else by its patterns, else random")},
    {TRAIN, KEPT, NAME("combine", 0, pool.combine, "product", "product|mixture", "HOW", POOL, "bag, lop: multiply the experts' probabilities, or add them")},
    {TRAIN, KEPT, NAME("per", 0, pool.per, "sequence", "sequence|transition", "WHAT", POOL, "bag, lop: combine whole labellings, or label after label")},
    {TRAIN, KEPT, NAME("mix", 0, pool.mix, "chain", "chain|posterior|rescore", "HOW", POOL, "mixtures per sequence: decode by a chain with the same pair marginals, label by label, or by the experts' best lists")},
    {TRAIN, KEPT, NAME("alphas", 0, pool.alphas, "equal", "equal|grid|em|learn", "HOW", POOL, "weights of the experts: equal, or found on development data: by score, by EM (mixtures), by gradient (products)")},
    {TRAIN, KEPT, FLAG("free-alphas", 0, pool.free_alphas, POOL, "learn: alphas need not be positive and sum to 1")},
    {TRAIN, KEPT, COUNT("alphas-folds", 0, pool.held_out, "0", 0, 100, "K", POOL, "without development data, find alphas on K parts of the training data held out in turn")},
    {TRAIN, KEPT, REAL("elitist", 0, train.elitist, "0", 0, 1e12, "X", POOL, "elitist: X/2 times the sum over weights of (sum over experts of |w|)^2")},
    {TRAIN, KEPT, NAME("prox", 0, pool.prox, "exact", "exact|approximate|norm", "HOW", POOL, "elitist: the proximal step; the approximation of the paper; or that of the norm, not squared")},
    {TRAIN, KEPT, REAL("spread", 0, pool.spread, "0.1", 0, 100, "X", POOL, "elitist: experts start at random in [-X, X]")},

    /* studies */
    {TRAIN, 0, COUNT("folds", 0, folds, "0", 0, 1e6, "K", STUDY, "cross-validation: hold each of K parts out once; -o is then not needed")},
    {TRAIN, 0, TEXT("grid", 0, grid, "SETTINGS", STUDY, "try each of several values, such as 'l2=0.1,1,10 l1=0,1', by --folds or on --dev, and train the best on all data")},
    {TRAIN, 0, FLAG("curve", 0, curve, STUDY, "learning curve: train on nested subsets of the data, and score on --test or on a fifth held out")},
    {TRAIN, 0, COUNT("seeds", 0, seeds, "5", 2, 1e4, "N", STUDY, "curve: how many random orders of the data")},
    {TRAIN, 0, PATH("plot", 0, plot, "FILE", STUDY, "draw the curve, the grid or, of a single run, its convergence: .svg, .png or .pdf")},
    {TRAIN, 0, FLAG("json", 0, study_json, STUDY, "the table as JSON")},

    /* adaptation */
    {ADAPT, 0, PATH("target", 0, adapt_target, "FILE", DOMAINS, "labelled data of the domain that matters"), .info.alias = "in"},
    {ADAPT, 0, PATHS("source", 0, adapt_source, "FILE", DOMAINS, "labelled data of another domain; may be given again, each file is a domain"), .info.alias = "out"},
    {ADAPT, 0, PATH("test", 0, data.test, "FILE", DOMAINS, "test data of the domain that matters, on which methods are compared")},
    {ADAPT, KEPT, NAME("method", 0, adapt.method, "mega", "mega|mega-tied|only-in|only-out|interpolate|mix|mix-weighted|feats|prior|augment|all", "NAME", DOMAINS, "how; all trains every one and compares them on --test or by --folds")},
    {ADAPT, KEPT, TEXT("tune", 0, adapt.tune, "L2,L2", DOMAINS, "penalties, such as 0.1,1,10, of which each method takes what is best on a random tenth of the in-domain data, which is then folded back in")},
    {ADAPT, KEPT, NAME("optimizer", 0, adapt.mega.optimizer, "cem", "cem|lbfgs", "HOW", MEGA, "conditional EM, or all parameters at once by gradient")},
    {ADAPT, KEPT, COUNT("mega-iterations", 0, mega_iterations, "0", 0, 1e6, "N", MEGA, "0 is 5 of conditional EM, 100 of lbfgs; with --tune, at most so many")},
    {ADAPT, KEPT, COUNT("mega-steps", 0, mega_steps, "0", 0, 1e6, "N", MEGA, "cem: steps of L-BFGS for the weights in each iteration; 0 is 20")},
    {ADAPT, KEPT, COUNT("nb-features", 0, nb_features, "0", 0, 1e9, "N", MEGA, "features that tell the domain, the best by information gain; 0 is all")},
    {ADAPT, KEPT, REAL("beta-a", 0, adapt.mega.a, "2", 1, 1e6, "X", MEGA, "Beta prior of the probability of a feature in a domain")},
    {ADAPT, KEPT, REAL("beta-b", 0, adapt.mega.b, "2", 1, 1e6, "X", MEGA, "the other number of it")},
    {ADAPT, 0, COUNT("folds", 0, folds, "0", 0, 1e6, "K", STUDY, "compare by cross-validation: hold each of K parts of the in-domain data out once")},
    {ADAPT, 0, FLAG("curve", 0, curve, STUDY, "scores over the amount of in-domain data, of the method and of mega, prior, only-out and mix (or of all), on --test or on a fifth held out")},
    {ADAPT, 0, COUNT("seeds", 0, seeds, "5", 1, 1e4, "N", STUDY, "curve: how many random orders of the data")},
    {ADAPT, 0, PATH("plot", 0, plot, "FILE", STUDY, "draw the curve: .svg, .png or .pdf")},
    {ADAPT, 0, FLAG("json", 0, study_json, STUDY, "the table as JSON")},

    /* clustering */
    {CLUSTER, 0, PATH("output", 'o', cluster.output, "MODEL", OUTPUT, "file to write a model to that assigns new items to the clusters")},
    {CLUSTER, 0, NAME("format", 'f', cluster.items.format, "auto", "auto|rows|long|dense|svmlight", "NAME", DATA, "rows: item, feature:count ...; long: item, feature, count; dense: item, numbers; svmlight: index:value ...")},
    {CLUSTER, 0, TEXT("columns", 0, cluster_columns, "I,F,C", DATA, "long: which columns, from 0, are item, feature and count")},
    {CLUSTER, 0, PATH("only", 0, cluster.items.only, "FILE", DATA, "take only the items that the first column of this file names")},
    {CLUSTER, 0, COUNT("least", 0, cluster.items.least, "0", 0, 1e18, "N", DATA, "leave out items with fewer occurrences than this in all")},
    {CLUSTER, 0, NAME("weigh", 0, cluster.items.weigh, "none", "none|tf-idf", "HOW", DATA, "counts as they are, or times log(items / items with the feature)")},
    {CLUSTER, 0, TEXT("reduce", 0, cluster.reduce, "nmf:N", DATA, "to N dimensions by non-negative matrix factorisation")},
    {CLUSTER, 0, COUNT("nmf-starts", 0, cluster.nmf_starts, "4", 1, 1e4, "N", DATA, "reduce: random starts, the best of which counts")},
    {CLUSTER, 0, REAL("total", 0, cluster.total, "0", 0, 1e12, "X", DATA, "scale each item to this sum, which sets how sharply items tell clusters apart; 0 is as they are, and 20 with --reduce")},
    {CLUSTER, 0, NAME("likelihood", 0, cluster.dp.likelihood, "multinomial", "multinomial|gaussian|prior", "KIND", MIXTURE, "of counts, of real numbers, or none at all")},
    {CLUSTER, 0, REAL("alpha", 0, cluster.dp.start.alpha, NULL, 1e-12, 1e12, "X", MIXTURE, "concentration; without it, inferred")},
    {CLUSTER, 0, REAL("alpha-shape", 0, cluster.dp.alpha_shape, "1", 1e-9, 1e9, "X", MIXTURE, "of its Gamma prior")},
    {CLUSTER, 0, REAL("alpha-rate", 0, cluster.dp.alpha_rate, "1", 1e-9, 1e9, "X", MIXTURE, "of its Gamma prior")},
    {CLUSTER, 0, REAL("beta", 0, cluster_beta, NULL, 1e-12, 1e12, "X", MIXTURE, "multinomial: Dirichlet parameter of each feature; gaussian: strength of the prior mean; without it, inferred")},
    {CLUSTER, 0, COUNT("chains", 0, cluster.chains, "5", 1, 1000, "N", MIXTURE, "that are sampled side by side")},
    {CLUSTER, 0, COUNT("burn-in", 0, cluster.burn_in, "100", 0, 1e9, "N", MIXTURE, "sweeps before the first sample")},
    {CLUSTER, 0, COUNT("samples", 0, cluster.samples, "20", 1, 1e6, "N", MIXTURE, "of each chain")},
    {CLUSTER, 0, COUNT("lag", 0, cluster.lag, "5", 1, 1e6, "N", MIXTURE, "sweeps between samples")},
    {CLUSTER, 0, COUNT("split-merge", 0, cluster.split_merge, "5", 0, 1e6, "N", MIXTURE, "moves in each sweep that split or merge whole clusters")},
    {CLUSTER, 0, NAME("consensus", 0, cluster.consensus, "vi", "vi|binder", "LOSS", MIXTURE, "the clustering that is nearest to all samples, by variation of information or by pairs")},
    {CLUSTER, 0, COUNT("seed", 0, seed, "1", 0, 9007199254740992.0, "N", MIXTURE, "of everything random")},
    {CLUSTER, 0, PATH("links", 0, cluster.links, "FILE", QUESTIONS, "what is known of pairs: lines of item TAB item TAB must, cannot, must:0.9 or cannot:0.9")},
    {CLUSTER, 0, COUNT("ask", 0, cluster.ask, "0", 0, 1e9, "N", QUESTIONS, "ask N questions about pairs, those whose answers teach most")},
    {CLUSTER, 0, PATH("answers", 0, cluster.answers, "FILE", QUESTIONS, "where answers are kept, each at once; the same command goes on after them")},
    {CLUSTER, 0, NAME("by", 0, program.answers_by, "auto", "auto|gold|terminal|json", "WHO", QUESTIONS, "who answers: the true classes, a person, or a program that reads and writes lines of JSON; auto is gold where there is --gold, else terminal")},
    {CLUSTER, 0, PATH("gold", 0, cluster.gold, "FILE", QUESTIONS, "true classes, item TAB class: answers, and scores in the report")},
    {CLUSTER, 0, COUNT("batch", 0, cluster.batch, "1", 1, 1e6, "N", QUESTIONS, "questions between draws of samples")},
    {CLUSTER, 0, NAME("batch-mode", 0, cluster.batch_mode, "naive", "naive|filtered", "HOW", QUESTIONS, "the best N at once, or one after the other by the samples that agree with the answers")},
    {CLUSTER, 0, COUNT("threshold", 0, cluster.threshold, "10", 1, 1e6, "N", QUESTIONS, "filtered: draw again when fewer samples agree")},
    {CLUSTER, 0, NAME("select", 0, cluster.select, "active", "active|random", "HOW", QUESTIONS, "the least certain pairs, or any")},
    {CLUSTER, 0, COUNT("again", 0, cluster.again, "10", 0, 1e9, "N", QUESTIONS, "sweeps under new links before samples are drawn")},
    {CLUSTER, 0, FLAG("afresh", 0, cluster.afresh, QUESTIONS, "start the chains anew under new links, with all of --burn-in (slow)")},
    {CLUSTER, 0, COUNT("top", 0, cluster.top, "8", 0, 1e6, "N", OUTPUT, "telling features to show for each cluster")},
    {CLUSTER, 0, PATH("assignments", 0, cluster.assignments_file, "FILE", OUTPUT, "write item TAB cluster")},
    {CLUSTER, 0, PATH("samples-file", 0, cluster.samples_file, "FILE", OUTPUT, "write item TAB cluster TAB cluster ..., a column for each sample, for eval --clusters")},
    {CLUSTER, 0, PATH("members", 0, cluster.members_file, "FILE", OUTPUT, "write how often each pair is together")},
    {CLUSTER, 0, PATH("plot", 0, cluster.plot, "FILE", OUTPUT, "draw scores over answers: .svg, .png or .pdf")},
    {CLUSTER, 0, PATH("plot-members", 0, cluster.plot_members, "FILE", OUTPUT, "draw how often each pair is together")},
    {CLUSTER, 0, FLAG("json", 0, cluster.json, OUTPUT, "the report as JSON")},

    /* tagging */
    {TAG, 0, FLAG("probabilities", 'p', tag.probabilities, OUTPUT, "add label:probability of every class (for sequences, its marginal probability)")},
    {TAG, 0, COUNT("top", 0, tag.top, "0", 0, 1e6, "N", OUTPUT, "add label:probability of the N best classes, best first")},
    {TAG, 0, FLAG("label-probability", 0, tag.label_probability, OUTPUT, "add the probability of the label")},
    {TAG, 0, FLAG("domain", 0, tag.domain, OUTPUT, "models of adapt: add p(general | token), how much what all domains share has a say")},
    {TAG, 0, FLAG("sequence-probability", 0, tag.sequence_probability, OUTPUT, "crf, memm: write '# p' before each sequence, the probability of its labels together")},
    {TAG, 0, COUNT("nbest", 'n', tag.nbest, "0", 0, 1e6, "N", OUTPUT, "crf, memm: write the N most probable labellings of each sequence, each after a line '# rank p'")},
    {TAG, 0, FLAG("segments", 0, tag.segments, OUTPUT, "crf, memm: add the probability of each segment (chunk, entity) at its first token")},
    {TAG, 0, NAME("decode", 0, tag.decode, "viterbi", "viterbi|posterior", "HOW", DECODE, "the most probable labelling, or the most probable label at each token")},
    {TAG, 0, NAME("scheme", 0, tag.scheme, "none", "none|io|iob1|iob2|iobes|bilou", "NAME", DECODE, "forbid what this scheme of labels does not allow; probabilities are then given that")},
    {TAG, 0, TEXTS("drop", 0, tag.drop, "GLOB", DECODE, "ignore features whose names fit, such as 'U2*'; may be given again")},
    {TAG, 0, FLAG("forced", 0, tag.forced, DECODE, "labels in the input are given: 'a' is this one, 'a|b' one of these, '?' any")},

    /* evaluation */
    {EVAL, 0, TEXT("delimiter", 'd', eval.delimiter, "C", DATA, "the character between columns; without it TAB or, in lines that have none, blanks")},
    {EVAL, 0, PATH("gold", 0, eval.gold, "FILE", DATA, "take the true labels from the last column of this file")},
    {EVAL, 0, COUNT("word", 0, eval.word, "0", 0, 1e6, "N", DATA, "the column of the words, from 0")},
    {EVAL, 0, FLAG("probabilities", 'p', eval.probabilities, DATA, "the data has the columns of `tag --probabilities`: adds log-loss and calibration")},
    {EVAL, 0, NAME("scheme", 0, eval.scheme, "any", "any|io|iob1|iob2|iobes|bilou", "NAME", LABELS, "how labels tell of chunks; any reads all of them, and other labels as classes")},
    {EVAL, 0, FLAG("strict", 0, eval.strict, LABELS, "chunks whose labels the scheme does not allow are none")},
    {EVAL, 0, FLAG("classes", 0, eval.classes, LABELS, "labels are classes, whatever they look like")},
    {EVAL, 0, FLAG("raw", 'r', eval.raw, LABELS, "labels are types, and each token is a chunk by itself")},
    {EVAL, 0, TEXT("outside", 'o', eval.outside, "LABEL", LABELS, "another name for O")},
    {EVAL, 0, PATHS("known", 0, eval.known, "DATA", ASK, "training data: scores apart for words and chunks that it has and that it lacks; may be given again")},
    {EVAL, 0, PATHS("against", 0, eval.against, "TAGGED", ASK, "another system on the same tokens: is the difference more than luck? May be given again")},
    {EVAL, 0, NAME("unit", 0, eval.unit, "sentence", "sentence|document", "WHAT", ASK, "against: what is drawn again and again; documents begin with -DOCSTART-")},
    {EVAL, 0, COUNT("resamples", 0, eval.resamples, "10000", 100, 1e8, "N", ASK, "against: how often")},
    {EVAL, 0, COUNT("seed", 0, seed, "1", 0, 9007199254740992.0, "N", ASK, "against: of the draws")},
    {EVAL, 0, PATH("model", 'm', program.model, "MODEL", ASK, "tag DATA with this model and score it, with all features and without those of each --drop")},
    {EVAL, 0, TEXTS("drop", 0, drop, "GLOB", ASK, "model: features to go without, such as 'U2*'; each one given is a run of its own")},
    {EVAL, 0, PATH("clusters", 0, eval.clusters, "GOLD", ASK, "TAGGED are clusterings, lines of item TAB cluster (a column for each sample); GOLD has item TAB class")},
    {EVAL, 0, FLAG("conlleval", 0, eval.conlleval, OUTPUT, "what conlleval prints and nothing else")},
    {EVAL, 0, FLAG("latex", 'l', eval.latex, OUTPUT, "that as a table for LaTeX")},
    {EVAL, 0, FLAG("confusion", 0, eval.confusion, OUTPUT, "print the matrix of gold against predicted classes")},
    {EVAL, 0, COUNT("bins", 0, eval.bins, "10", 2, 1000, "N", OUTPUT, "rows of the calibration table")},
    {EVAL, 0, PATH("plot-confusion", 0, eval.plot_confusion, "FILE", OUTPUT, "draw the confusions: .svg, .png or .pdf")},
    {EVAL, 0, PATH("plot-calibration", 0, eval.plot_calibration, "FILE", OUTPUT, "draw accuracy against confidence: .svg, .png or .pdf")},
    {EVAL, 0, FLAG("json", 0, eval.json, OUTPUT, "everything as JSON")},

    /* converting */
    {CONVERT, 0, NAME("scheme", 0, rescheme.to, "none", "none|io|iob1|iob2|iobes|bilou", "NAME", LABELS, "FROM is data in columns: write its labels in this scheme")},
    {CONVERT, 0, COUNT("label-columns", 0, rescheme.columns, "1", 1, 1000, "N", LABELS, "scheme: how many columns at the end of a line are labels")},

    /* inspecting */
    {INSPECT, 0, COUNT("top", 0, inspect.top, "10", 1, 1e9, "N", OUTPUT, "strongest features to show for each class")},
    {INSPECT, 0, PATH("expectations", 0, inspect.expectations, "DATA", OUTPUT, "for each feature and class: raw count, empirical and model expectation over this data")},
    {INSPECT, 0, TEXT("explain", 0, inspect.explain, "LINE", OUTPUT, "what each feature of this line of input adds to each class")},
    {INSPECT, 0, PATH("members", 0, inspect.members, "DATA", OUTPUT, "pools: each expert's own score on this data, the pool's, and how much they disagree")},
    {INSPECT, 0, FLAG("dump", 0, inspect.dump, OUTPUT, "the whole model as exact text, which `convert` reads back")},
    {INSPECT, 0, FLAG("json", 0, inspect.json, OUTPUT, "the answer as JSON")},

    /* running */
    {TRAIN | TAG | INSPECT | EVAL | ADAPT | CLUSTER, 0, COUNT("threads", 't', threads, "0", 0, 4096, "N", RUN, "0 asks the machine; results do not depend on it")},
    {TRAIN, 0, TEXT("memory", 0, train.memory, "SIZE", RUN, "refuse to train when more would be needed, such as 800M or 4G")},
    {TRAIN, 0, FLAG("resume", 0, train.resume, RUN, "go on from MODEL.checkpoint, which an interrupted run left")},
    {TRAIN, 0, REAL("checkpoint", 0, train.checkpoint, "60", 0, 1e9, "SECONDS", RUN, "time between checkpoints; 0 writes none")},
    {TRAIN | TAG | EVAL | INSPECT | CONVERT | FEATURES | ADAPT | CLUSTER, 0, FLAG("quiet", 'q', program.quiet, RUN, "say nothing but errors on standard error")},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert((int)ROWS <= (int)CAU_OPTIONS_MAX, "caucus_options has too few texts");

static unsigned command_bit(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(name, commands[i].name) == 0) return commands[i].bit;
    return 0;
}

static const char *command_name(unsigned bit)
{
    size_t i = 0;
    while (commands[i].bit != bit) i++;
    return commands[i].name;
}

static const option_row *find_row(unsigned command, const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        const caucus_option_info *info = &rows[i].info;
        if (!(rows[i].commands & command)) continue;
        if (strcmp(info->name, name) == 0) return &rows[i];
        if (info->alias && strcmp(info->alias, name) == 0) return &rows[i];
    }
    return NULL;
}

const caucus_option_info *caucus_option_at(const char *verb, size_t index)
{
    const unsigned bit = command_bit(verb);
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].commands & bit) && index-- == 0) return &rows[i].info;
    return NULL;
}

/* The valid name nearest to a wrong one: by edits, or because it contains the wrong one
 * ("max-iterations" for "iterations"). NULL when no name is near. */
static const char *nearest_name(unsigned command, const char *name)
{
    const char *best = NULL;
    size_t least = 4; /* more than three edits make another word */
    for (size_t i = 0; i < ROWS; i++) {
        const char *valid = rows[i].info.name;
        if (!(rows[i].commands & command)) continue;
        size_t distance = cau_edit_distance(name, valid);
        if (strlen(name) > 3 && strstr(valid, name)) distance = 3;
        if (distance < least && distance < strlen(valid)) {
            least = distance;
            best = valid;
        }
    }
    return best;
}

/* The index of a text among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    const size_t n = strlen(text);
    int index = 0;
    for (const char *at = choices;; at++, index++) {
        const size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, text, n) == 0) return index;
        at += length;
        if (!*at) return -1;
    }
}

/* The names on both sides of "old=new". */
static bool is_old_name(const char *renamed, const char *text)
{
    const size_t n = strlen(text);
    return renamed && strncmp(renamed, text, n) == 0 && renamed[n] == '=';
}

static const char *new_name(const char *renamed)
{
    return strchr(renamed, '=') + 1;
}

static bool is_list(const option_row *r)
{
    return r->info.kind == CAUCUS_OPTION_FILES || r->info.kind == CAUCUS_OPTION_TEXTS;
}

static const void *field_of(const caucus_options *options, const option_row *r)
{
    return (const char *)options + r->field;
}

/* Adds one path or text to a list. The earlier list stays in the arena, which is small. */
static caucus_status append(caucus_ctx *ctx, caucus_options *options, cau_paths *list,
                            const char *text)
{
    const char **more = cau_arena_alloc(&options->arena, list->count + 1, sizeof(char *));
    if (!more) return cau_fail_memory(ctx, "an option");
    for (size_t i = 0; i < list->count; i++) more[i] = list->path[i];
    more[list->count] = text;
    *list = (cau_paths){list->count + 1, more};
    return CAUCUS_OK;
}

/* Checks a value against its row and stores it in the field, which may point to it: `text` must
 * live as long as the options. Numbers are copied by memcpy, since a count may be a size_t or a
 * uint64_t and a choice any enum; FIELD has checked the widths. */
static caucus_status assign(caucus_ctx *ctx, caucus_options *options, const option_row *r,
                            const char *text)
{
    const caucus_option_info *info = &r->info;
    void *field = (char *)options + r->field;
    const size_t n = strlen(text);

    switch (info->kind) {
    case CAUCUS_OPTION_FLAG:
        if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s takes no value; leave out '%s', or write 0 or 1", info->name,
                            text);
        *(bool *)field = text[0] == '1';
        break;
    case CAUCUS_OPTION_COUNT: {
        uint64_t count;
        if (!cau_parse_count(text, n, &count) || (double)count < info->min ||
            (double)count > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s %s: not a whole number from %.0f to %.0f; see --help", info->name,
                            text, info->min, info->max);
        memcpy(field, &count, sizeof count);
        break;
    }
    case CAUCUS_OPTION_REAL: {
        double real;
        if (!cau_parse_real(text, n, &real) || !isfinite(real) || real < info->min ||
            real > info->max)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                            "--%s %s: not a number from %g to %g; see --help", info->name, text,
                            info->min, info->max);
        *(double *)field = r->convert == TWICE ? 2 * real : r->convert == INVERSE ? 1 / real : real;
        break;
    }
    case CAUCUS_OPTION_NAME: {
        const int index = choice_index(info->choices, text);
        if (index < 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s %s: no such choice; take one of %s",
                            info->name, text, info->choices);
        memcpy(field, &index, sizeof index);
        break;
    }
    case CAUCUS_OPTION_TEXT:
    case CAUCUS_OPTION_FILE:
    case CAUCUS_OPTION_FILES:
    case CAUCUS_OPTION_TEXTS:
        if (n == 0)
            return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s: an empty value; see --help",
                            info->name);
        if (is_list(r)) return append(ctx, options, field, text);
        *(const char **)field = text;
        break;
    }
    return CAUCUS_OK;
}

caucus_status caucus_options_new(caucus_ctx *ctx, const char *verb, caucus_options **out)
{
    const unsigned bit = command_bit(verb);
    if (!bit)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "there is no command '%s'; take train, tag, eval, adapt, cluster, inspect, "
                        "convert or features",
                        verb);
    caucus_options *options = cau_calloc(1, sizeof *options);
    if (!options) return cau_fail_memory(ctx, "the options");
    options->command = bit;
    for (size_t i = 0; i < ROWS; i++) {
        if (!(rows[i].commands & bit) || !rows[i].info.standard) continue;
        const caucus_status st = assign(ctx, options, &rows[i], rows[i].info.standard);
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

/* Another row that was set and writes the same field, as --C and --l2 do; or NULL. */
static const option_row *find_rival(const caucus_options *options, const option_row *r)
{
    for (size_t i = 0; i < ROWS; i++)
        if (&rows[i] != r && options->text[i] && rows[i].field == r->field) return &rows[i];
    return NULL;
}

caucus_status caucus_options_set(caucus_ctx *ctx, caucus_options *options, const char *name,
                                 const char *value)
{
    const option_row *r = find_row(options->command, name);
    if (!r) {
        const char *near = nearest_name(options->command, name);
        return near ? cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                               "there is no option --%s; did you mean --%s?", name, near)
                    : cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                               "there is no option --%s; --help lists them", name);
    }
    if (!value && r->info.kind != CAUCUS_OPTION_FLAG)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT, "--%s needs a value: --%s %s", name, name,
                        r->info.value);
    const option_row *rival = find_rival(options, r);
    if (rival)
        return cau_fail(ctx, CAUCUS_ERR_ARGUMENT,
                        "--%s and --%s set the same thing; give one of them", rival->info.name,
                        name);

    if (!value) value = "1";
    if (is_old_name(r->renamed, value)) value = new_name(r->renamed);
    const char *text = cau_arena_copy(&options->arena, value, strlen(value));
    if (!text) return cau_fail_memory(ctx, "an option");
    const caucus_status st = assign(ctx, options, r, text);
    if (!st) options->text[r - rows] = text;
    return st;
}

const char *caucus_options_get(const caucus_options *options, const char *name)
{
    const option_row *r = find_row(options->command, name);
    if (!r) return NULL;
    return options->text[r - rows] ? options->text[r - rows] : r->info.standard;
}

const char *caucus_options_get_at(const caucus_options *options, const char *name, size_t index)
{
    const option_row *r = find_row(options->command, name);
    if (!r || !is_list(r)) return r && index == 0 ? caucus_options_get(options, name) : NULL;
    const cau_paths *list = field_of(options, r);
    return index < list->count ? list->path[index] : NULL;
}

caucus_status cau_options_copy(caucus_ctx *ctx, const caucus_options *options, caucus_options **out)
{
    caucus_status st = CAUCUS_OK;
    caucus_options *copy = NULL;
    TRY(caucus_options_new(ctx, command_name(options->command), &copy));
    for (size_t i = 0; i < ROWS; i++) {
        const char *name = rows[i].info.name, *value;
        for (size_t k = 0; options->text[i] && (value = caucus_options_get_at(options, name, k));
             k++)
            TRY(caucus_options_set(ctx, copy, name, value));
    }
    *out = copy;
    copy = NULL;
done:
    caucus_options_free(copy);
    return st;
}

/* Whether the row is a penalty in our unit, which the model file always notes. */
static bool is_penalty(const option_row *r)
{
    return strcmp(r->info.name, "l1") == 0 || strcmp(r->info.name, "l2") == 0;
}

const caucus_option_info *cau_options_varies(const caucus_options *options, const char *name,
                                             bool *penalty)
{
    static const char *const groups[] = {MODEL, SOLVER, POOL, STOP};
    const option_row *r = find_row(options->command, name);
    if (!r || r->info.kind == CAUCUS_OPTION_TEXT || r->info.kind == CAUCUS_OPTION_FILE ||
        is_list(r))
        return NULL;
    *penalty = r->field == FIELD(double, train.l1) || r->field == FIELD(double, train.l2) ||
               r->field == FIELD(double, train.elitist);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strcmp(r->info.group, groups[i]) == 0) return &r->info;
    return NULL;
}

bool cau_options_is_set(const caucus_options *options, const char *name)
{
    const option_row *r = find_row(options->command, name);
    return r && options->text[r - rows];
}

/* Whether a text is just another way to write the default. */
static bool is_default(const option_row *r, const char *text)
{
    const char *standard = r->info.standard;
    double x, y;
    if (!standard) return false;
    if (r->info.kind != CAUCUS_OPTION_COUNT && r->info.kind != CAUCUS_OPTION_REAL)
        return strcmp(text, standard) == 0;
    return cau_parse_real(text, strlen(text), &x) &&
           cau_parse_real(standard, strlen(standard), &y) && x == y;
}

/* Two spellings of the same request give the same file: defaults are not noted, and penalties
 * always are, by their own names and in our unit. */
void cau_options_kept(const caucus_options *options, cau_options_which which, cau_strbuf *out)
{
    for (size_t i = 0; i < ROWS; i++) {
        const option_row *r = &rows[i];
        const char *text = options->text[i];
        if (r->kept != KEPT || !(r->commands & options->command)) continue;
        if (which == CAU_OPTIONS_SHAPE && strcmp(r->info.group, STOP) == 0) continue;
        if (is_penalty(r)) {
            const double *x = field_of(options, r);
            cau_strbuf_printf(out, "option.%s\t%.17g\n", r->info.name, *x);
        } else if (text && !is_default(r, text)) {
            /* A checkpoint made before a choice was renamed must still agree. */
            size_t n = strlen(text);
            if (which == CAU_OPTIONS_SHAPE && r->renamed && strcmp(text, new_name(r->renamed)) == 0)
                text = r->renamed, n = strcspn(text, "=");
            cau_strbuf_printf(out, "option.%s\t", r->info.name);
            cau_strbuf_escape(out, (cau_str){text, n});
            cau_strbuf_add(out, "\n", 1);
        }
    }
}
