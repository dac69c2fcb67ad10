/* option_table.c - see option_table.h. */

#include "api/option_table.h"

enum {
    TRAIN = 1,
    TAG = 2,
    EVAL = 4,
    INSPECT = 8,
    CONVERT = 16,
    FEATURES = 32,
    ADAPT = 64,
    CLUSTER = 128,
    SERVE = 256,
    DOCTOR = 512,
    ALL = 1023,
};

const cau_command_bit cau_command_bits[] = {
    {"train", TRAIN},     {"tag", TAG},           {"eval", EVAL},   {"inspect", INSPECT},
    {"convert", CONVERT}, {"features", FEATURES}, {"adapt", ADAPT}, {"cluster", CLUSTER},
    {"serve", SERVE},     {"doctor", DOCTOR},     {NULL, 0},
};

const cau_option_slip cau_option_slips[] = {
    {"algorithm", "solver"},
    {"optimizer", "solver"},
    {"trainer", "solver"},
    {"epochs", "max-iterations"},
    {"iterations", "max-iterations"},
    {"iter", "max-iterations"},
    {"max-iter", "max-iterations"},
    {"timeout", "max-time"},
    {"lr", "rate"},
    {"learning-rate", "rate"},
    {"eta", "rate"},
    {"tol", "epsilon"},
    {"tolerance", "epsilon"},
    {"early-stopping", "patience"},
    {"reg", "l2"},
    {"regularization", "l2"},
    {"penalty", "l2"},
    {"sigma", "sigma2"},
    {"variance", "sigma2"},
    {"type", "model"},
    {"kind", "model"},
    {"min-freq", "cutoff"},
    {"min-count", "cutoff"},
    {"features", "template"},
    {"ngram", "ngrams"},
    {"lowercase", "lower"},
    {"tokenise", "tokenize"},
    {"char-ngrams", "chars"},
    {"tf-idf", "tfidf"},
    {"input-format", "format"},
    {"separator", "delimiter"},
    {"valid", "dev"},
    {"validation", "dev"},
    {"validation-fraction", "dev-fraction"},
    {"cv", "folds"},
    {"cross-validation", "folds"},
    {"random-state", "seed"},
    {"jobs", "threads"},
    {"n-jobs", "threads"},
    {"workers", "threads"},
    {"out", "output"},
    {"output-file", "output"},
    {"save", "output"},
    {"model-file", "model"},
    {"model-file", "output"},
    {"continue", "resume"},
    {"proba", "probabilities"},
    {"marginals", "probabilities"},
    {"scores", "probabilities"},
    {"constraints", "scheme"},
    {"silent", "quiet"},
    {"address", "host"},
    {"bind", "host"},
    {"listen", "host"},
    {"log", "access-log"},
    {"token", "token-file"},
    {NULL, NULL},
};

/* FIELD is the offset of a member. It does not compile where the type of the member does not fit
 * the kind of the row. A count is a uint64_t or a size_t, which are one type on some systems and
 * two on others. A CHOICE row names the enum of its member, whose values are its choices in order.
 */
#define MEMBER(name) (((caucus_options *)NULL)->name)
#define OFFSET(name) offsetof(caucus_options, name)
/* clang-format off */
#define FIELD(type, member) _Generic(MEMBER(member), type: OFFSET(member))
#define COUNT_FIELD(member) \
    _Generic(MEMBER(member), uint64_t: OFFSET(member), default: FIELD(size_t, member))
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are stored in 64 bits");
_Static_assert(sizeof(cau_solver_kind) == sizeof(int), "choices are stored as int");

#define INFO(kind_, name_, letter_, group_, help_) \
    .info.kind = CAUCUS_OPTION_##kind_, .info.name = name_, .info.letter = letter_, \
    .info.group = group_, .info.help = help_

#define FLAG(name, letter, member, group, help) \
    INFO(FLAG, name, letter, group, help), .field = FIELD(bool, member), \
    .info.default_value = "0", .info.max = 1
#define COUNT(name, letter, member, default_, min_, max_, value_, group, help) \
    INFO(COUNT, name, letter, group, help), .field = COUNT_FIELD(member), \
    .info.default_value = default_, .info.min = min_, .info.max = max_, .info.value = value_
#define REAL(name, letter, member, default_, min_, max_, value_, group, help) \
    INFO(REAL, name, letter, group, help), .field = FIELD(double, member), \
    .info.default_value = default_, .info.min = min_, .info.max = max_, .info.value = value_
#define CHOICE(name, letter, type, member, default_, choices_, value_, group, help) \
    INFO(CHOICE, name, letter, group, help), .field = FIELD(type, member), \
    .info.default_value = default_, .info.choices = choices_, .info.value = value_
#define TEXT(name, letter, member, value_, group, help) \
    INFO(TEXT, name, letter, group, help), .field = FIELD(const char *, member), \
    .info.value = value_
#define PATH(name, letter, member, value_, group, help) \
    INFO(FILE, name, letter, group, help), .field = FIELD(const char *, member), \
    .info.value = value_
#define TEXTS(name, letter, member, value_, group, help) \
    INFO(TEXTS, name, letter, group, help), .field = FIELD(cau_paths, member), .info.value = value_
#define PATHS(name, letter, member, value_, group, help) \
    INFO(FILES, name, letter, group, help), .field = FIELD(cau_paths, member), .info.value = value_

#define COMMON .info.common = true
enum { KEPT = 1 };

#define FORMAT_CHOICE(id, name) "|" name
#define FORMATS "auto" CAU_FORMAT_LIST(FORMAT_CHOICE)
#define SOLVERS "auto|lbfgs|owlqn|gis|iis|sgd|adagrad|sdca|perceptron|pa|arow|fobos|proximal"
#define SCHEMES "io|iob1|iob2|iobes|bilou"
#define SCHEME_ALIASES .aliases = "bio=iob2|bioes=iobes"
#define METHODS \
    "mega|mega-tied|only-in|only-out|interpolate|mix|mix-weighted|feats|prior|augment|all"
#define SEED_MAX 9007199254740992.0 /* 2^53: larger numbers are not exact in JSON */

#define DATA "Data"
#define MODEL CAU_GROUP_MODEL
#define UNITS CAU_GROUP_UNITS
#define SOLVER CAU_GROUP_SOLVER
#define STOP CAU_GROUP_STOP
#define POOL CAU_GROUP_POOL
#define OUTPUT "Output"
#define DECODE "Decoding"
#define STUDY "Studies: many runs, one table"
#define LABELS "Labels"
#define ANALYSES "Analyses"
#define DOMAINS "Domains and methods"
#define MEGA "MEGA"
#define MIXTURE "Mixture model and sampling"
#define QUESTIONS "Links and questions"
#define SERVER "Server"
#define LIMITS "Limits"
#define RUN "Running"

const cau_option_row cau_option_rows[] = {
    /* files and formats */
    {TRAIN | ADAPT, 0, PATH("output", 'o', train.output, "MODEL", OUTPUT,
        "file to write the model to"), COMMON},
    {TAG, 0, PATH("model", 'm', program.model, "MODEL", DATA,
        "the model to apply")},
    {ADAPT, 0, PATH("target", 0, adapt_target, "FILE", DOMAINS,
        "labelled data of the target domain"), .info.alias = "in", COMMON},
    {ADAPT, 0, PATHS("source", 0, adapt_source, "FILE", DOMAINS,
        "labelled data of a source domain; may be repeated, each file is a domain"), .info.alias = "out", COMMON},
    {ADAPT, 0, PATH("test", 0, data.test, "FILE", DOMAINS,
        "test data of the target domain, to compare methods on"), COMMON},
    {TRAIN | FEATURES | ADAPT | CONVERT | DOCTOR, 0, CHOICE("format", 'f', cau_format, data.read.format, "auto", FORMATS, "NAME", DATA,
        "format of the data, by default detected from the first lines; see caucus help formats"), COMMON},
    {CONVERT, 0, CHOICE("to", 0, cau_format, convert_to, "none", "none" CAU_FORMAT_LIST(FORMAT_CHOICE), "FORMAT", DATA,
        "FROM is data: write it in this format; see caucus help formats"), COMMON},
    {TAG | INSPECT, 0, CHOICE("format", 'f', cau_format, data.read.format, "auto", FORMATS, "NAME", DATA,
        "format of the data, by default that of the training data; see caucus help formats")},
    {TRAIN | FEATURES | ADAPT, KEPT, PATH("template", 'T', data.template, "FILE", DATA,
        "columns: feature template, as in CRF++ or Wapiti; see caucus help templates"), COMMON},
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, TEXT("columns", 0, data.read.layout.columns, "LIST", DATA,
        "columns: those that the template sees as 0, 1, ...: numbers from 0, names of --header, or fields of conllu")},
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, TEXT("label", 0, data.read.layout.label, "COLUMN", DATA,
        "columns: the column of the label, by default the last; conllu: upos (the default), xpos, deprel, feats.Case, misc.NER")},
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, TEXT("delimiter", 0, data.read.layout.delimiter, "C", DATA,
        "columns: the character between them, \\t for TAB; by default blanks and TABs")},
    {TRAIN | TAG | INSPECT | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, FLAG("header", 0, data.read.layout.header, DATA,
        "columns: the first line of a file names them, and is not data")},
    {TAG | INSPECT | FEATURES | CONVERT | DOCTOR, 0, FLAG("no-label", 0, data.read.layout.no_label, DATA,
        "columns: there is no label")},
    {TRAIN | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, FLAG("comments", 0, data.read.comments, DATA,
        "columns: lines that begin with # are comments")},
    {TRAIN | FEATURES | ADAPT | CONVERT | DOCTOR, KEPT, FLAG("docstart", 0, data.read.docstart, DATA,
        "columns: lines that begin with -DOCSTART- end a sequence and are skipped")},
    {TRAIN, KEPT, PATH("dev", 'd', data.dev, "FILE", DATA,
        "development data: the best iteration on it becomes the model"), COMMON},
    {TRAIN, KEPT, REAL("dev-fraction", 0, data.dev_fraction, "0", 0, 0.9, "X", DATA,
        "use this share of the training data as development data"), COMMON},
    {TRAIN, 0, PATH("test", 0, data.test, "FILE", DATA,
        "test data: report the accuracy on it"), COMMON},
    {TRAIN | ADAPT, KEPT, COUNT("cutoff", 0, data.cutoff, "1", 0, 1e9, "N", DATA,
        "drop features that occur in fewer than N instances"), COMMON},
    {TRAIN | FEATURES | ADAPT, KEPT, COUNT("ngrams", 0, data.read.ngrams, "1", 1, 8, "N", DATA,
        "text: use word n-grams up to length N"), COMMON},
    {TRAIN | FEATURES | ADAPT, KEPT, FLAG("lower", 0, data.read.lower, DATA,
        "text: convert to lower case"), COMMON},
    {TRAIN | FEATURES | ADAPT, KEPT, FLAG("counts", 0, data.read.counts, DATA,
        "text: use the counts of words instead of their presence")},
    {TRAIN | FEATURES | ADAPT, KEPT, FLAG("tokenize", 0, data.read.tokenize, DATA,
        "text: find the words by Unicode rules, so that punctuation is apart; by default blanks separate them"), COMMON},
    {TRAIN | FEATURES | ADAPT, KEPT, TEXT("chars", 0, data.read.chars, "A-B", DATA,
        "text: also use the character n-grams of each word, such as 2-5"), COMMON},
    {TRAIN, KEPT, FLAG("tfidf", 0, data.read.tfidf, DATA,
        "text: weigh counts by the rarity of words (TF-IDF), which is learnt from the training data"), COMMON},
    {TRAIN | ADAPT | CONVERT | DOCTOR, KEPT, FLAG("values", 0, data.read.values, DATA,
        "megam: every feature is followed by its value (-fvals of MegaM)")},
    {TRAIN, KEPT, FLAG("plain-labels", 0, data.plain, DATA,
        "'?' and 'a|b' are labels like any other, not an unknown label and a set of labels")},
    {TRAIN, 0, TEXT("by", 0, data.by, "UNIT", DATA,
        "unit that is never split between training and held-out data: sequence, document (between "
        "-DOCSTART- lines), file, or the number of a column, from 0, that names the group")},

    /* model and penalties */
    {TRAIN, KEPT, CHOICE("model", 0, cau_model_choice, train.model, "auto", "auto|maxent|memm|crf", "KIND", MODEL,
        "kind of model; auto is crf for data in sequences, else maxent; see caucus help models"), COMMON},
    {ADAPT, KEPT, CHOICE("model", 0, cau_model_choice, train.model, "auto", "auto|maxent|memm|crf", "KIND", MODEL,
        "kind of model; auto is memm for data in sequences, else maxent; mega cannot be crf; see caucus help models")},
    {TRAIN | ADAPT, KEPT, REAL("l2", 0, train.l2, "1", 0, 1e12, "X", MODEL,
        "l2 penalty: X/2 times the sum of squared weights; 0 turns it off"), COMMON},
    {TRAIN, KEPT, REAL("l1", 0, train.l1, "0", 0, 1e12, "X", MODEL,
        "l1 penalty: X times the sum of absolute weights; 0 turns it off"), COMMON},
    {TRAIN, KEPT, CHOICE("group", 0, cau_group, train.group, "none", "none|feature|template", "WHAT", MODEL,
        "with --l1: keep or drop all weights of a feature, or of a template pattern, together")},
    {TRAIN, KEPT, PATH("mean", 0, train.mean, "MODEL", MODEL,
        "with --l2: penalise the distance from the weights of this model, not from 0")},
    {TRAIN | ADAPT, KEPT, FLAG("no-bias", 0, train.no_bias, MODEL,
        "no intercept for each class")},
    {TRAIN, KEPT, PATH("from", 0, train.from, "MODEL", MODEL,
        "start from this model: its weights, features and labels")},
    {TRAIN | ADAPT, KEPT, CHOICE("states", 0, cau_states, train.states, "auto", "auto|all|seen", "WHICH", MODEL,
        "pairs of feature and label that get a weight; seen: those in the data; auto: seen for memm and crf, else all")},
    {TRAIN | ADAPT, KEPT, CHOICE("transitions", 0, cau_transition_choice, train.transitions, "all", "all|seen", "WHICH", MODEL,
        "crf, memm: pairs of labels that get a weight; seen: those in the data")},
    {TRAIN | ADAPT, KEPT, TEXT("class-weight", 0, train.class_weight, "WEIGHTS", MODEL,
        "maxent: weigh the loss of each class by \"balanced\", or by label=weight,label=weight")},
    {TRAIN | ADAPT, 0, REAL("C", 0, train.l2, NULL, 1e-12, 1e12, "X", UNITS,
        "l2 = 1/X, as in LIBLINEAR, scikit-learn and CRF++"), .convert = INVERSE},
    {TRAIN, 0, REAL("c1", 0, train.l1, NULL, 0, 1e12, "X", UNITS,
        "l1 = X, as in CRFsuite")},
    {TRAIN | ADAPT, 0, REAL("c2", 0, train.l2, NULL, 0, 1e12, "X", UNITS,
        "l2 = 2X, as in CRFsuite"), .convert = TWICE},
    {TRAIN, 0, REAL("rho1", 0, train.l1, NULL, 0, 1e12, "X", UNITS,
        "l1 = X, as in Wapiti")},
    {TRAIN | ADAPT, 0, REAL("rho2", 0, train.l2, NULL, 0, 1e12, "X", UNITS,
        "l2 = X, as in Wapiti")},
    {TRAIN | ADAPT, 0, REAL("sigma2", 0, train.l2, NULL, 1e-12, 1e12, "X", UNITS,
        "l2 = 1/X, the Gaussian variance of MALLET"), .convert = INVERSE},
    {TRAIN | ADAPT, 0, REAL("lambda", 0, train.l2, NULL, 0, 1e12, "X", UNITS,
        "l2 = X, as in MegaM")},

    /* solver */
    {TRAIN | ADAPT, KEPT, CHOICE("solver", 0, cau_solver_kind, train.solver, "auto", SOLVERS, "NAME", SOLVER,
        "training algorithm; see caucus help solvers"), .aliases = "dual=sdca", COMMON},
    {TRAIN | ADAPT, KEPT, COUNT("history", 0, train.history, "6", 3, 20, "N", SOLVER,
        "lbfgs, owlqn: number of past steps to store")},
    {TRAIN | ADAPT, KEPT, REAL("rate", 0, train.rate, "0", 0, 1e6, "X", SOLVER,
        "sgd, adagrad, fobos: initial learning rate; 0 finds one by trials on a sample")},
    {TRAIN | ADAPT, KEPT, CHOICE("pa-type", 0, cau_pa_type, train.pa_type, "1", "0|1|2", "N", SOLVER,
        "pa: the variant PA, PA-I or PA-II")},
    {TRAIN | ADAPT, KEPT, REAL("pa-c", 0, train.pa_c, "1", 1e-12, 1e12, "X", SOLVER,
        "pa: the aggressiveness C of PA-I and PA-II")},
    {TRAIN | ADAPT, KEPT, FLAG("unit-margin", 0, train.unit_margin, SOLVER,
        "pa: a margin of 1 instead of the square root of the number of wrong labels")},
    {TRAIN | ADAPT, KEPT, FLAG("last-weights", 0, train.last_weights, SOLVER,
        "perceptron, pa: the last weights instead of their average over all steps")},
    {TRAIN | ADAPT, KEPT, REAL("arow-variance", 0, train.arow_variance, "1", 1e-12, 1e12, "X", SOLVER,
        "arow: the initial variance of the weights")},
    {TRAIN | ADAPT, KEPT, REAL("arow-gamma", 0, train.arow_gamma, "1", 1e-12, 1e12, "X", SOLVER,
        "arow: how slowly variances shrink; steps are smaller with a large one")},
    {TRAIN, KEPT, REAL("dropout", 0, train.dropout, "0", 0, 0.9, "X", SOLVER,
        "sgd, adagrad, fobos: drop this share of the features of each example at random")},
    {TRAIN, KEPT, CHOICE("dropout-by", 0, cau_group, train.dropout_by, "auto", "auto|feature|template", "WHAT", SOLVER,
        "drop single features, or all features of a template pattern; auto is template if there is one")},
    {TRAIN | ADAPT, KEPT, FLAG("correction", 0, train.correction, SOLVER,
        "gis: add the correction feature")},
    {TRAIN | ADAPT, KEPT, COUNT("seed", 0, seed, "1", 0, SEED_MAX, "N", SOLVER,
        "random seed"), COMMON},

    /* stopping */
    {TRAIN | ADAPT, KEPT, REAL("epsilon", 0, train.stop.epsilon, "1e-5", 0, 1e6, "X", STOP,
        "stop if |gradient| / max(1, |weights|) is below X; 0 turns it off")},
    {TRAIN | ADAPT, KEPT, REAL("delta", 0, train.stop.delta, "1e-6", 0, 1, "X", STOP,
        "stop if the objective fell by less than this share of its value in --period iterations; 0 turns it off")},
    {TRAIN | ADAPT, KEPT, COUNT("period", 0, train.stop.period, "0", 0, 64, "N", STOP,
        "iterations that --delta looks back; 0 is 10, but 5 for sdca")},
    {TRAIN | ADAPT, KEPT, COUNT("max-iterations", 0, train.stop.iterations, "0", 0, 1e9, "N", STOP,
        "stop after N iterations; 0 is no limit, but 100 for perceptron, pa, arow and fobos"), COMMON},
    {TRAIN | ADAPT, KEPT, COUNT("max-passes", 0, train.stop.passes, "0", 0, 1e9, "N", STOP,
        "stop after N passes over the data; 0 is no limit")},
    {TRAIN | ADAPT, KEPT, REAL("max-time", 0, train.stop.seconds, "0", 0, 1e9, "SECONDS", STOP,
        "stop after this time; 0 is no limit")},
    {TRAIN, KEPT, COUNT("patience", 0, train.stop.patience, "0", 0, 1e6, "N", STOP,
        "stop after N iterations without a better score on the development data; 0 turns it off"), COMMON},

    /* pools */
    {TRAIN, KEPT, CHOICE("pool", 0, cau_pool_kind, pool.kind, "none", "none|bag|lop|elitist|dropout", "KIND", POOL,
        "train several experts that vote; see caucus help models"), COMMON},
    {TRAIN, KEPT, COUNT("experts", 0, pool.experts, "0", 0, 64, "N", POOL,
        "number of experts; 0 is one for each bag or pattern, 2 for lop, 3 for elitist and dropout")},
    {TRAIN, KEPT, CHOICE("partition", 0, cau_partition_kind, pool.partition, "auto", "auto|bags|template|random|sequential", "HOW", POOL,
        "bag, lop: how to divide the features: by the @bag lines of the template, by its patterns, at random or in "
        "order; auto is bags, template or random, the first that applies")},
    {TRAIN, KEPT, CHOICE("combine", 0, cau_combine, pool.combine, "product", "product|mixture", "HOW", POOL,
        "bag, lop: multiply the probabilities of the experts, or average them")},
    {TRAIN, KEPT, CHOICE("per", 0, cau_per, pool.per, "sequence", "sequence|transition", "WHAT", POOL,
        "bag, lop: combine whole label sequences, or each transition")},
    {TRAIN, KEPT, CHOICE("mix", 0, cau_mix, pool.mix, "chain", "chain|posterior|rescore|exact", "HOW", POOL,
        "mixtures per sequence: decode a chain with the same pair marginals, each position by itself, the best of the "
        "8-best lists of the experts, or lists so long that the best labelling is certain")},
    {TRAIN, KEPT, CHOICE("alphas", 0, cau_alphas_kind, pool.alphas, "equal", "equal|grid|em|learn", "HOW", POOL,
        "weights of the experts: equal, or fitted on the development data by score (grid), EM (mixtures) or gradient (products)")},
    {TRAIN, KEPT, FLAG("free-alphas", 0, pool.free_alphas, POOL,
        "learn: the weights of the experts may be negative and need not sum to 1")},
    {TRAIN, KEPT, COUNT("alphas-folds", 0, pool.held_out, "0", 0, 100, "K", POOL,
        "fit the weights of the experts by K-fold cross-validation instead of on development data")},
    {TRAIN, KEPT, REAL("elitist", 0, train.elitist, "0", 0, 1e12, "X", POOL,
        "elitist: penalty of X/2 times the sum over weights of (sum over experts of |w|)^2")},
    {TRAIN, KEPT, CHOICE("prox", 0, cau_prox_kind, pool.prox, "exact", "exact|approximate|norm", "HOW", POOL,
        "elitist: the exact proximal step, the approximation of the paper, or that of the norm without the square")},
    {TRAIN, KEPT, REAL("spread", 0, pool.spread, "0.1", 0, 100, "X", POOL,
        "elitist: the initial weights are uniform in [-X, X]")},

    /* studies */
    {TRAIN, 0, COUNT("folds", 0, folds, "0", 0, 1e6, "K", STUDY,
        "K-fold cross-validation; -o is optional"), COMMON},
    {TRAIN, 0, TEXT("grid", 0, grid, "SETTINGS", STUDY,
        "compare settings such as 'l2=0.1,1,10 l1=0,1' by --folds or on --dev; -o gets the best"), COMMON},
    {TRAIN, 0, FLAG("curve", 0, curve, STUDY,
        "learning curve: train on growing parts of the data and score on --test, or on a fifth held out"), COMMON},
    {ADAPT, KEPT, CHOICE("method", 0, cau_method, adapt.method, "mega", METHODS, "NAME", DOMAINS,
        "adaptation method; all compares them on --test or by --folds"), COMMON},
    {ADAPT, KEPT, TEXT("tune", 0, adapt.tune, "L2,L2", DOMAINS,
        "values of l2, such as 0.1,1,10; each method uses the best on a random tenth of the target data"), COMMON},
    {ADAPT, KEPT, CHOICE("optimizer", 0, cau_mega_optimizer, adapt.mega.optimizer, "cem", "cem|lbfgs", "HOW", MEGA,
        "conditional EM, or L-BFGS on all parameters together")},
    {ADAPT, KEPT, COUNT("mega-iterations", 0, adapt.mega.iterations, "0", 0, 1e6, "N", MEGA,
        "number of iterations, with --tune the maximum; 0 is 5 for cem and 100 for lbfgs")},
    {ADAPT, KEPT, COUNT("mega-steps", 0, adapt.mega.steps, "0", 0, 1e6, "N", MEGA,
        "cem: L-BFGS steps for the weights in each iteration; 0 is 20")},
    {ADAPT, KEPT, COUNT("nb-features", 0, adapt.mega.nb_features, "0", 0, 1e9, "N", MEGA,
        "use the N features with the highest information gain about the domain in the naive Bayes part; 0 is all")},
    {ADAPT, KEPT, REAL("beta-a", 0, adapt.mega.a, "2", 1, 1e6, "X", MEGA,
        "first parameter of the Beta prior on the probabilities of features")},
    {ADAPT, KEPT, REAL("beta-b", 0, adapt.mega.b, "2", 1, 1e6, "X", MEGA,
        "second parameter of this prior")},
    {ADAPT, 0, COUNT("folds", 0, folds, "0", 0, 1e6, "K", STUDY,
        "compare by K-fold cross-validation on the target data"), COMMON},
    {ADAPT, 0, FLAG("curve", 0, curve, STUDY,
        "score the method, mega, prior, only-out and mix (with --method all, all methods) on growing parts of the "
        "target data"), COMMON},
    {TRAIN, 0, COUNT("seeds", 0, seeds, "5", 2, 1e4, "N", STUDY,
        "curve: number of random orders of the data")},
    {ADAPT, 0, COUNT("seeds", 0, seeds, "5", 1, 1e4, "N", STUDY,
        "curve: number of random orders of the data")},
    {TRAIN, 0, PATH("plot", 0, plot, "FILE", STUDY,
        "draw the curve, the grid, or the convergence of a single run (.svg, .png or .pdf)")},
    {ADAPT, 0, PATH("plot", 0, plot, "FILE", STUDY,
        "draw the curve (.svg, .png or .pdf)")},
    {TRAIN | ADAPT, 0, FLAG("json", 0, study_json, STUDY,
        "write the table as JSON")},

    /* doctor */
    {DOCTOR, 0, PATH("test", 0, doctor.test, "FILE", DATA,
        "test data: also report what it shares with the data, and labels that the data lacks"), COMMON},
    {DOCTOR, 0, COUNT("rare", 0, doctor.rare, "5", 0, 1e9, "N", DATA,
        "report labels with fewer than N instances"), COMMON},
    {DOCTOR, 0, FLAG("json", 0, doctor.json, OUTPUT,
        "write JSON"), COMMON},

    /* clustering */
    {CLUSTER, 0, PATH("output", 'o', cluster.output, "MODEL", OUTPUT,
        "write a model that assigns new items to the clusters"), COMMON},
    {CLUSTER, 0, CHOICE("format", 'f', cau_items_format, cluster.items.format, "auto", "auto|rows|long|dense|svmlight", "NAME", DATA,
        "format of the items, by default detected from the first lines; see caucus help formats"), COMMON},
    {CLUSTER, 0, TEXT("columns", 0, cluster_columns, "I,F,C", DATA,
        "long: numbers of the columns, from 0, of item, feature and count")},
    {CLUSTER, 0, PATH("only", 0, cluster.items.only, "FILE", DATA,
        "use only the items in the first column of this file")},
    {CLUSTER, 0, COUNT("least", 0, cluster.items.least, "0", 0, 1e18, "N", DATA,
        "skip items whose counts sum to less than N")},
    {CLUSTER, 0, CHOICE("weigh", 0, cau_weigh, cluster.items.weigh, "none", "none|tf-idf", "HOW", DATA,
        "weights of the counts; tf-idf multiplies by log(items / items with the feature)")},
    {CLUSTER, 0, TEXT("reduce", 0, cluster.reduce, "nmf:N", DATA,
        "reduce the features to N dimensions by non-negative matrix factorisation"), COMMON},
    {CLUSTER, 0, COUNT("nmf-starts", 0, cluster.nmf_starts, "4", 1, 1e4, "N", DATA,
        "reduce: number of random starts; the best is used")},
    {CLUSTER, 0, COUNT("nmf-seed", 0, cluster.nmf_seed, "1", 0, SEED_MAX, "N", DATA,
        "reduce: random seed, apart from --seed, so that all seeds cluster the same points")},
    {CLUSTER, 0, REAL("total", 0, cluster.total, "0", 0, 1e12, "X", DATA,
        "scale each item to this sum: the larger, the sharper the clusters; 0 does not scale, but is 20 with --reduce")},
    {CLUSTER, 0, CHOICE("method", 0, cau_cluster_method, cluster.method, "dpmm", "dpmm|cop-kmeans|pck-means", "NAME", MIXTURE,
        "dpmm: a Dirichlet process mixture; k-means that keeps links (cop-kmeans) or pays for violating them (pck-means)")},
    {CLUSTER, 0, COUNT("clusters", 0, cluster.clusters, "0", 0, 1e6, "N", MIXTURE,
        "k-means: number of clusters")},
    {CLUSTER, 0, COUNT("starts", 0, cluster.starts, "10", 1, 1e6, "N", MIXTURE,
        "k-means: number of random starts; the best is used")},
    {CLUSTER, 0, REAL("penalty", 0, cluster.penalty, "1", 0, 1e12, "X", MIXTURE,
        "pck-means: cost of a violated link, in mean squared distances of the items from their mean")},
    {CLUSTER, 0, CHOICE("likelihood", 0, cau_likelihood, cluster.dp.likelihood, "multinomial", "multinomial|gaussian|prior", "KIND", MIXTURE,
        "components for counts or for real numbers; prior samples from the prior"), COMMON},
    {CLUSTER, 0, REAL("alpha", 0, cluster.dp.start.alpha, NULL, 1e-12, 1e12, "X", MIXTURE,
        "concentration of the Dirichlet process; by default it is inferred")},
    {CLUSTER, 0, REAL("alpha-shape", 0, cluster.dp.alpha_shape, "1", 1e-9, 1e9, "X", MIXTURE,
        "shape of the Gamma prior of alpha")},
    {CLUSTER, 0, REAL("alpha-rate", 0, cluster.dp.alpha_rate, "1", 1e-9, 1e9, "X", MIXTURE,
        "rate of the Gamma prior of alpha")},
    {CLUSTER, 0, REAL("beta", 0, cluster_beta, NULL, 1e-12, 1e12, "X", MIXTURE,
        "multinomial: Dirichlet parameter of each feature; gaussian: strength of the prior mean; by default inferred")},
    {CLUSTER, 0, COUNT("chains", 0, cluster.chains, "5", 1, 1000, "N", MIXTURE,
        "number of parallel chains"), COMMON},
    {CLUSTER, 0, COUNT("burn-in", 0, cluster.burn_in, "100", 0, 1e9, "N", MIXTURE,
        "sweeps before the first sample"), COMMON},
    {CLUSTER, 0, COUNT("samples", 0, cluster.samples, "20", 1, 1e6, "N", MIXTURE,
        "samples from each chain"), COMMON},
    {CLUSTER, 0, COUNT("lag", 0, cluster.lag, "5", 1, 1e6, "N", MIXTURE,
        "sweeps between samples")},
    {CLUSTER, 0, COUNT("split-merge", 0, cluster.split_merge, "5", 0, 1e6, "N", MIXTURE,
        "split-merge moves in each sweep")},
    {CLUSTER, 0, CHOICE("consensus", 0, cau_consensus_loss, cluster.consensus, "vi", "vi|binder", "LOSS", MIXTURE,
        "loss of the consensus clustering over the samples: variation of information, or Binder's loss on pairs")},
    {CLUSTER, 0, COUNT("seed", 0, seed, "1", 0, SEED_MAX, "N", MIXTURE,
        "random seed"), COMMON},
    {CLUSTER, 0, PATH("links", 0, cluster.links, "FILE", QUESTIONS,
        "known pairs: item TAB item TAB must, cannot, must:0.9 or cannot:0.9"), COMMON},
    {CLUSTER, 0, COUNT("ask", 0, cluster.ask, "0", 0, 1e9, "N", QUESTIONS,
        "ask N questions about pairs of items, those with the most informative answers"), COMMON},
    {CLUSTER, 0, PATH("answers", 0, cluster.answers, "FILE", QUESTIONS,
        "save each answer in this file; the same command continues after the last answer"), COMMON},
    {CLUSTER, 0, PATH("gold", 0, cluster.gold, "FILE", QUESTIONS,
        "true classes, item TAB class: they answer the questions and score the clusters"), COMMON},
    {CLUSTER, 0, CHOICE("by", 0, cau_answers_by, program.answers_by, "auto", "auto|gold|terminal|json", "WHO", QUESTIONS,
        "who answers: the true classes, a person, or a program in lines of JSON; auto is gold with --gold, else terminal")},
    {CLUSTER, 0, REAL("trust", 0, cluster.trust, "1", .5, 1, "P", QUESTIONS,
        "probability that an answer is right: below 1, answers become soft links, which never contradict each other")},
    {CLUSTER, 0, COUNT("batch", 0, cluster.batch, "1", 1, 1e6, "N", QUESTIONS,
        "number of questions between draws of samples")},
    {CLUSTER, 0, CHOICE("batch-mode", 0, cau_batch_mode, cluster.batch_mode, "naive", "naive|filtered|joint", "HOW", QUESTIONS,
        "naive: the N best questions; filtered: each question from the samples that agree with the answers so far; joint: N questions whose answers together tell most, chosen before the first answer")},
    {CLUSTER, 0, COUNT("threshold", 0, cluster.threshold, "10", 1, 1e6, "N", QUESTIONS,
        "filtered: draw new samples if fewer than N agree with the answers")},
    {CLUSTER, 0, CHOICE("select", 0, cau_select, cluster.select, "active", "active|vi|random", "HOW", QUESTIONS,
        "ask about the least certain pairs; about those whose answers are expected to bring the samples nearest to each other in variation of information; or about random ones")},
    {CLUSTER, 0, COUNT("again", 0, cluster.again, "10", 0, 1e9, "N", QUESTIONS,
        "sweeps after new links before samples are drawn")},
    {CLUSTER, 0, FLAG("afresh", 0, cluster.afresh, QUESTIONS,
        "restart the chains after new links, with the whole --burn-in (slow)")},
    {CLUSTER, 0, COUNT("top", 0, cluster.top, "8", 0, 1e6, "N", OUTPUT,
        "number of top features to show for each cluster"), COMMON},
    {CLUSTER, 0, PATH("assignments", 0, cluster.assignments_file, "FILE", OUTPUT,
        "write item TAB cluster"), COMMON},
    {CLUSTER, 0, PATH("samples-file", 0, cluster.samples_file, "FILE", OUTPUT,
        "write item TAB cluster TAB cluster ..., one column for each sample (for eval --clusters)")},
    {CLUSTER, 0, PATH("members", 0, cluster.members_file, "FILE", OUTPUT,
        "write how often each pair of items is in one cluster")},
    {CLUSTER, 0, PATH("plot", 0, cluster.plot, "FILE", OUTPUT,
        "draw the scores against the number of answers (.svg, .png or .pdf)")},
    {CLUSTER, 0, PATH("plot-members", 0, cluster.plot_members, "FILE", OUTPUT,
        "draw how often each pair of items is in one cluster")},
    {CLUSTER, 0, FLAG("json", 0, cluster.json, OUTPUT,
        "write the report as JSON"), COMMON},

    /* tagging */
    {TAG, 0, FLAG("probabilities", 'p', tag.probabilities, OUTPUT,
        "add label:probability for every label (in sequences, the marginal probability)")},
    {TAG, 0, COUNT("top", 0, tag.top, "0", 0, 1e6, "N", OUTPUT,
        "add label:probability for the N best labels, best first")},
    {TAG, 0, FLAG("label-probability", 0, tag.label_probability, OUTPUT,
        "add the probability of the label")},
    {TAG, 0, FLAG("domain", 0, tag.domain, OUTPUT,
        "models of adapt: add p(general | token), the weight of what all domains share")},
    {TAG, 0, FLAG("sequence-probability", 0, tag.sequence_probability, OUTPUT,
        "crf, memm: write a line '# p' before each sequence, with the probability of its labels")},
    {TAG, 0, COUNT("nbest", 'n', tag.nbest, "0", 0, 1e6, "N", OUTPUT,
        "crf, memm: write the N most probable label sequences, each after a line '# rank p'")},
    {TAG, 0, FLAG("segments", 0, tag.segments, OUTPUT,
        "crf, memm: add the probability of each segment (chunk, entity) at its first token")},
    {TAG, 0, CHOICE("decode", 0, cau_decode_rule, tag.decode, "viterbi", "viterbi|posterior", "HOW", DECODE,
        "the most probable label sequence, or the most probable label of each token")},
    {TAG, 0, CHOICE("scheme", 0, cau_scheme_name, tag.scheme, "none", "none|" SCHEMES, "NAME", DECODE,
        "forbid transitions that are illegal in this label scheme; probabilities are then conditional on that"), SCHEME_ALIASES},
    {TAG, 0, FLAG("forced", 0, tag.forced, DECODE,
        "labels in the input are constraints: 'a' is this label, 'a|b' one of these, '?' any")},
    {TAG, 0, TEXTS("drop", 0, tag.drop, "GLOB", DECODE,
        "ignore features whose names match, such as 'U2*'; may be repeated")},

    /* evaluation */
    {EVAL, 0, PATH("gold", 0, eval.gold, "FILE", DATA,
        "take the true labels from the last column of this file"), COMMON},
    {EVAL, 0, FLAG("probabilities", 'p', eval.probabilities, DATA,
        "the data has the columns of `tag --probabilities`: add log-loss and calibration"), COMMON},
    {EVAL, 0, TEXT("delimiter", 'd', eval.delimiter, "C", DATA,
        "character between columns; by default TAB or, in lines without one, blanks")},
    {EVAL, 0, FLAG("header", 0, eval.header, DATA,
        "the first line of a file is not data")},
    {EVAL, 0, TEXT("label", 0, eval.label, "FIELD", DATA,
        "CoNLL-U: the field or attribute with the label, such as upos (the default) or feats.Case")},
    {EVAL, 0, COUNT("word", 0, eval.word, "0", 0, 1e6, "N", DATA,
        "number of the column with the words, from 0")},
    {EVAL, 0, CHOICE("scheme", 0, cau_scheme_name, eval.scheme, "any", "any|" SCHEMES, "NAME", LABELS,
        "how labels encode chunks; any accepts all schemes, and scores other labels as classes"), SCHEME_ALIASES, COMMON},
    {EVAL, 0, FLAG("classes", 0, eval.classes, LABELS,
        "score labels as classes, even if they look like B-NP"), COMMON},
    {EVAL, 0, FLAG("strict", 0, eval.strict, LABELS,
        "ignore chunks whose labels are illegal in the scheme")},
    {EVAL, 0, FLAG("raw", 'r', eval.raw, LABELS,
        "each token is a chunk, and its label the type")},
    {EVAL, 0, TEXT("outside", 'o', eval.outside, "LABEL", LABELS,
        "the label outside chunks, if it is not O")},
    {EVAL, 0, PATHS("known", 0, eval.known, "DATA", ANALYSES,
        "training data: score known and unknown words and chunks separately; may be repeated"), COMMON},
    {EVAL, 0, PATHS("against", 0, eval.against, "TAGGED", ANALYSES,
        "compare with another system on the same tokens by significance tests; may be repeated"), COMMON},
    {EVAL, 0, CHOICE("unit", 0, cau_unit, eval.unit, "sentence", "sentence|document", "WHAT", ANALYSES,
        "against: unit of resampling; documents begin with -DOCSTART-")},
    {EVAL, 0, CHOICE("pairs", 0, cau_pairs, eval.pairs, "all", "all|first", "WHICH", ANALYSES,
        "against: compare all pairs of systems, or only the first system with each other one")},
    {EVAL, 0, COUNT("resamples", 0, eval.resamples, "10000", 100, 1e8, "N", ANALYSES,
        "against: number of resamples")},
    {EVAL, 0, COUNT("seed", 0, seed, "1", 0, SEED_MAX, "N", ANALYSES,
        "against: random seed")},
    {EVAL, 0, PATH("model", 'm', program.model, "MODEL", ANALYSES,
        "tag DATA with this model and score the result"), COMMON},
    {EVAL, 0, TEXTS("drop", 0, drop, "GLOB", ANALYSES,
        "model: tag and score once more without the features whose names match, such as 'U2*'; may be repeated"), COMMON},
    {EVAL, 0, PATH("clusters", 0, eval.clusters, "GOLD", ANALYSES,
        "score clusterings: TAGGED has item TAB cluster (a column for each sample), GOLD has item TAB class"), COMMON},
    {EVAL, 0, FLAG("conlleval", 0, eval.conlleval, OUTPUT,
        "print exactly what conlleval prints"), COMMON},
    {EVAL, 0, FLAG("latex", 'l', eval.latex, OUTPUT,
        "print the table of conlleval for LaTeX")},
    {EVAL, 0, FLAG("confusion", 0, eval.confusion, OUTPUT,
        "print the confusion matrix"), COMMON},
    {EVAL, 0, COUNT("bins", 0, eval.bins, "10", 2, 1000, "N", OUTPUT,
        "number of bins of the calibration table")},
    {EVAL, 0, PATH("plot-confusion", 0, eval.plot_confusion, "FILE", OUTPUT,
        "draw the confusion matrix (.svg, .png or .pdf)")},
    {EVAL, 0, PATH("plot-calibration", 0, eval.plot_calibration, "FILE", OUTPUT,
        "draw accuracy against confidence (.svg, .png or .pdf)")},
    {EVAL, 0, FLAG("json", 0, eval.json, OUTPUT,
        "write the report as JSON"), COMMON},

    /* converting */
    {CONVERT, 0, CHOICE("as", 0, cau_model_form, model_form, "caucus", "caucus|crfsuite|crfpp|crfpp-text|wapiti", "NAME", OUTPUT,
        "FROM is a model: write it as a model of this program; see caucus help models")},
    {CONVERT, 0, CHOICE("scheme", 0, cau_scheme_name, rescheme.to, "none", "none|" SCHEMES, "NAME", LABELS,
        "FROM is data in columns: convert its labels to this scheme"), SCHEME_ALIASES},
    {CONVERT, 0, COUNT("label-columns", 0, rescheme.columns, "1", 1, 1000, "N", LABELS,
        "scheme: number of label columns at the end of each line")},

    /* inspecting */
    {INSPECT, 0, COUNT("top", 0, inspect.top, "10", 1, 1e9, "N", OUTPUT,
        "number of top features to show for each label")},
    {INSPECT, 0, TEXT("explain", 0, inspect.explain, "TEXT", OUTPUT,
        "show what each feature of this line of input adds to the score of each label; of a sequence (several lines), "
        "why it gets its labels and not the second best")},
    {INSPECT, 0, TEXT("against", 0, inspect.against, "LABELS", OUTPUT,
        "explain: compare with these labels, separated by blanks, one for each token; ? is any")},
    {INSPECT, 0, PATH("expectations", 0, inspect.expectations, "DATA", OUTPUT,
        "show the count and the empirical and model expectation of each feature and label over this data")},
    {INSPECT, 0, PATH("members", 0, inspect.members, "DATA", OUTPUT,
        "pools: score each expert and the pool on this data, and show how much the experts agree")},
    {INSPECT, 0, FLAG("dump", 0, inspect.dump, OUTPUT,
        "write the whole model as exact text, which `convert` reads")},
    {INSPECT, 0, FLAG("json", 0, inspect.json, OUTPUT,
        "write the report as JSON")},

    /* serving */
    {SERVE, 0, PATHS("model", 'm', program.models, "MODEL", SERVER,
        "a model to serve, named by its file without the extension; may be repeated, the first is the default"), COMMON},
    {SERVE, 0, COUNT("port", 'p', program.port, "8080", 0, 65535, "N", SERVER,
        "port to listen on; 0 is any free one, which is printed"), COMMON},
    {SERVE, 0, TEXT("host", 0, program.host, "ADDRESS", SERVER,
        "address to listen on instead of the loopback address 127.0.0.1; needs --token-file"), COMMON},
    {SERVE, 0, PATH("token-file", 0, program.token_file, "FILE", SERVER,
        "its first line is the token that requests must give as `Authorization: Bearer TOKEN`"), COMMON},
    {SERVE, 0, PATH("access-log", 0, program.access_log, "FILE", SERVER,
        "append a line of JSON for each request; - is standard output"), COMMON},
    {SERVE, 0, COUNT("max-body", 0, program.max_body, "1000000", 1, 1e9, "BYTES", LIMITS,
        "largest body of a request")},
    {SERVE, 0, REAL("max-time", 0, program.max_time, "30", 0.05, 86400, "SECONDS", LIMITS,
        "time to send a request, to wait for its turn, and to take its answer")},
    {SERVE, 0, COUNT("max-connections", 0, program.max_connections, "1000", 1, 1e5, "N", LIMITS,
        "open connections; others wait until one is closed")},
    {SERVE, 0, COUNT("max-queue", 0, program.max_queue, "1000", 1, 1e6, "N", LIMITS,
        "requests that wait to be tagged; others are answered 503")},

    /* running */
    {TRAIN | TAG | INSPECT | EVAL | ADAPT | CLUSTER | SERVE, 0, COUNT("threads", 't', threads, "0", 0, 4096, "N", RUN,
        "number of threads; 0 is one per processor; results do not depend on it"), COMMON},
    {TRAIN, 0, TEXT("memory", 0, train.memory, "SIZE", RUN,
        "do not train if it needs more memory than this, such as 800M or 4G")},
    {TRAIN, 0, FLAG("resume", 0, train.resume, RUN,
        "continue an interrupted run from MODEL.checkpoint"), COMMON},
    {TRAIN, 0, REAL("checkpoint", 0, train.checkpoint, "60", 0, 1e9, "SECONDS", RUN,
        "time between checkpoints; 0 writes none")},
    {ALL, 0, FLAG("quiet", 'q', program.quiet, RUN,
        "print only errors to standard error"), COMMON},
    {0},
};
/* clang-format on */

_Static_assert(sizeof cau_option_rows / sizeof *cau_option_rows <= CAU_OPTIONS_MAX,
               "caucus_options has too few texts");
