/* topics.c - the pages of the help about formats, templates, penalties, solvers and models. */

#include "cli.h"

/* What `formats` says before and after the formats of the library. */
static const topic_entry before_formats[] = {
    {NULL, "train, tag, adapt, features and convert read these formats, and convert writes them. "
           "The format is detected where the first lines leave no doubt; --format names it. Files "
           "compressed by gzip, zstd or xz are decompressed."},
    {NULL, NULL},
};

static const topic_entry after_formats[] = {
    {NULL, "cluster reads items in these formats. Blank lines are skipped."},
    {"rows", "item TAB feature:count TAB feature:count ..."},
    {"long", "item, feature and count in three columns; --columns selects them."},
    {"dense", "an item and one number for each feature."},
    {"svmlight", "index:value pairs, with the item after #."},
    {NULL, NULL},
};

static const topic_entry templates[] = {
    {NULL, "A template makes features from data in columns, one pattern per line. Templates of "
           "CRF++ and patterns of Wapiti work unchanged. Without --template there is a default, "
           "and `caucus features` shows the features of each token. The first character of a "
           "line says what the line is."},
    {"U, u", "a pattern for the label of a token"},
    {"B, b", "a pattern for the label and the label before it; B alone gives the plain "
             "transitions"},
    {"*", "both of these"},
    {"#", "a comment"},
    {"@bag X: U0*", "names a group of patterns, for --pool"},
    {"@lex \"FILE\"", "begins a list of names for %lex in the template itself: the next lines, "
                      "each after a tab"},
    {NULL, "In a pattern, a macro stands for a value. R is the row, relative to the token (-1 is "
           "the token before; @1 and @-1 are the first and the last of the sequence), and C the "
           "column, counted from 0."},
    {"%x[R,C]", "the cell"},
    {"%lower[R,C]", "the cell in lower case (%X is the same)"},
    {"%prefix[R,C,N]", "its first N characters"},
    {"%suffix[R,C,N]", "its last N characters"},
    {"%chars[R,C,A-B]", "all its character n-grams of length A to B, each of which is a feature"},
    {"%shape[R,C]", "its shape: Xxx for The, dddd for 1999"},
    {"%test[R,C,\"E\"]", "whether the regular expression E (PCRE2) matches: true or false"},
    {"%match[R,C,\"E\"]", "the text that E matches, or its first group"},
    {"%t, %T, %m, %M", "the same two with expressions of Wapiti; %M gives lower case"},
    {"%lex[R,C,\"FILE\"]", "the position of the token in a name of the list: B, I, E, S or O"},
    {"%number[R,C]", "the cell as the value of the feature"},
    {"%%", "a percent sign"},
    {NULL, NULL},
};

static const topic_entry penalties[] = {
    {NULL, "Training minimises the negative log-likelihood, summed over the data, plus penalties "
           "on the weights w. The intercepts of a maxent model are not penalised. Every report "
           "prints the objective as the sum of its parts."},
    {"--l2 X", "X/2 times the sum of w^2; 1 by default"},
    {"--l1 X", "X times the sum of |w|, which makes many weights 0; with --l2, the elastic net"},
    {"--group G", "with --l1: X times the sum over groups of sqrt(n) |w|, where |w| is the "
                  "Euclidean norm of the n weights of the group (group lasso). A group is a "
                  "feature or a template pattern; its weights are kept or dropped together."},
    {"--mean MODEL", "with --l2: X/2 times the sum of (w - m)^2, where m is the weight in this "
                     "model"},
    {"--elitist X", "with --pool elitist: X/2 times the sum over weights of (sum over experts of "
                    "|w|)^2"},
    {NULL, "Other tools measure these penalties in other units. Their options are accepted and "
           "converted:"},
    {"--C X", "l2 = 1/X: LIBLINEAR, scikit-learn, CRF++"},
    {"--c1 X --c2 X", "l1 = X, l2 = 2X: CRFsuite"},
    {"--rho1 --rho2", "l1 = X, l2 = X: Wapiti"},
    {"--sigma2 X", "l2 = 1/X: the Gaussian variance of MALLET and the Stanford tools"},
    {"--lambda X", "l2 = X: MegaM"},
    {NULL, "A tool that minimises the mean loss over N instances has N times our penalty for the "
           "same number."},
    {NULL, NULL},
};

static const topic_entry solvers[] = {
    {NULL, "--solver auto is sdca for memm and crf unless the penalty is weak or labels are "
           "partial; otherwise lbfgs without and owlqn with --l1. With --group it is proximal."},
    {"lbfgs", "L-BFGS, for an l2 penalty or none"},
    {"owlqn", "OWL-QN, which is L-BFGS for l1, with or without l2"},
    {"sdca", "stochastic dual coordinate ascent: reaches the optimum of lbfgs and owlqn in fewer "
             "passes; needs a penalty and whole labels"},
    {"sgd", "stochastic gradient descent, for l1 and l2; fast, but does not reach the optimum"},
    {"adagrad", "stochastic gradient descent with a learning rate for each weight; often the "
                "first to be good on development data"},
    {"fobos", "forward-backward splitting, for l1 or l2, and for elitist pools"},
    {"proximal", "accelerated proximal gradient (FISTA), for --group and elitist pools"},
    {"perceptron", "averaged perceptron, for crf; no penalty and no objective"},
    {"pa", "passive-aggressive updates, for crf (--pa-type, --pa-c); no penalty and no objective"},
    {"arow", "adaptive regularisation of weights, for crf (--arow-variance, --arow-gamma): pa that "
             "changes weights less the more often they were updated"},
    {"gis, iis", "generalised and improved iterative scaling, for an l2 penalty or none; slow"},
    {NULL, "Training stops when the objective has converged (--epsilon, --delta), at a limit "
           "(--max-iterations, --max-passes, --max-time), or when the score on the development "
           "data no longer improves (--patience). With development data, the best iteration "
           "becomes the model."},
    {NULL, NULL},
};

static const topic_entry models[] = {
    {NULL, "--model of train and adapt:"},
    {"maxent", "labels each instance by itself (maximum entropy, multinomial logistic "
               "regression); the default for data without sequences"},
    {"memm", "labels sequences; the previous label is a feature of the next, and each position is "
             "normalised by itself"},
    {"crf", "labels sequences; normalised over the whole sequence (linear-chain conditional random "
            "field); the default of train for data in sequences"},
    {NULL, "--pool of train: several models of one kind, the experts, vote, so that no single "
           "feature decides alone."},
    {"bag", "experts see different features, which may overlap (feature bagging)"},
    {"lop", "each feature belongs to one expert (logarithmic opinion pool)"},
    {"elitist", "experts see all features and compete for weights"},
    {"dropout", "experts see all features, but each example loses a random part of them"},
    {NULL, "--method of adapt. The target domain is in, the source domains are out."},
    {"mega", "a model for each domain, one for all domains, and a gate that weighs the two for "
             "each instance"},
    {"mega-tied", "as mega, but the models of the domains are tied to the general one"},
    {"only-in", "trains on the target data"},
    {"only-out", "trains on the source data"},
    {"mix", "trains on all data"},
    {"mix-weighted", "trains on all data, the source data with less weight"},
    {"interpolate", "mixes the probabilities of only-in and only-out"},
    {"feats", "adds the prediction of only-out as a feature"},
    {"prior", "the l2 penalty pulls the weights to those of only-out"},
    {"augment", "duplicates each feature: one copy for all domains, one for its own"},
    {NULL, "A model of cluster assigns items to the clusters that were found."},
    {NULL,
     "Wherever a model is read, it may be one of another program; `convert` keeps it as ours, "
     "and convert --as writes ours for that program."},
    {"CRFsuite", "binary models; --as crfsuite"},
    {"CRF++", "binary and text models; --as crfpp and --as crfpp-text"},
    {"Wapiti", "models of crf, memm and maxent; --as wapiti"},
    {"MegaM", "weights that begin with **BIAS** or ***NAMEDLABELSIDS***"},
    {"LIBLINEAR", "classifiers; probabilities only for logistic regression of two classes"},
    {NULL, NULL},
};

static topic_entry formats[64]; /* filled below */

static const topic topics[] = {
    {"formats", "how data may be written", formats},
    {"templates", "how features are made from columns", templates},
    {"penalties", "regularisation, and what other tools call it", penalties},
    {"solvers", "training algorithms and when they stop", solvers},
    {"models", "kinds of models, pools and adaptation methods", models},
};

static void fill_formats(void)
{
    size_t count = 0;
    const caucus_format_info *format;
    for (const topic_entry *e = before_formats; e->text; e++) formats[count++] = *e;
    for (size_t i = 0; (format = caucus_format_at(i)); i++)
        formats[count++] = (topic_entry){format->name, format->about};
    for (const topic_entry *e = after_formats; e->text; e++) formats[count++] = *e;
}

const topic *topic_at(size_t index)
{
    if (!formats[0].text) fill_formats();
    return index < sizeof topics / sizeof *topics ? &topics[index] : NULL;
}
