/* caucus.h - log-linear models for language: the whole public interface.
 *
 *   context, options       messages, progress, threads; the options of the command line by name
 *   data, training         labelled data from files or memory; models, studies, adaptation
 *   what a model holds     files and bytes; classes, features, weights
 *   applying a model       sequences in memory, and files
 *   evaluation             scores of files or of labels in memory
 *   clustering             items from files or memory, links, questions
 *
 * These rules hold for every function:
 *
 *   Status    Functions that can fail return a caucus_status. Results are written through pointers,
 *             which keep their values on failure. caucus_message(ctx) explains the failure in one
 *             sentence without a newline: where it is, what is wrong, what to do. A message about a
 *             template has two more lines, which show the place.
 *   NULL      Pointers must not be NULL unless the comment allows it. Every _free function accepts
 *             NULL and does nothing.
 *   Lifetime  Each object has one owner, who frees it. Objects keep no pointer to the context that
 *             made them, so they may outlive it. What an object returns belongs to the object.
 *   Threads   A context belongs to one thread at a time. Data, options, models, scores, studies and
 *             finished clusterings are immutable; threads may share them, each with a context of
 *             its own. A tagger, and data or a clustering that is still growing, belong to one
 *             thread at a time.
 *   Silence   The library never prints, exits, changes the locale or installs signal handlers. It
 *             reports through the callbacks of the context.
 *   Text      All strings are UTF-8, and end with a NUL byte unless a length is given. */

#ifndef CAUCUS_H
#define CAUCUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CAUCUS_API __attribute__((visibility("default")))
#else
#define CAUCUS_API
#endif

#define CAUCUS_VERSION "0.1.0"

/* Each status and its text. */
#define CAUCUS_STATUSES(X)                                                                         \
    X(OK, "success")                                                                               \
    X(ERR_MEMORY, "out of memory")                                                                 \
    X(ERR_IO, "cannot read or write")                                                              \
    X(ERR_FORMAT, "malformed input")                                                               \
    X(ERR_ARGUMENT, "invalid argument")                                                            \
    X(ERR_NUMERIC, "value not finite")                                                             \
    X(ERR_STOPPED, "stopped by the caller")                                                        \
    X(ERR_UNSUPPORTED, "not built in")

typedef enum {
#define X(name, text) CAUCUS_##name,
    CAUCUS_STATUSES(X)
#undef X
} caucus_status;

/* The text of a status: static, and never NULL, not even for a number that is no status. */
CAUCUS_API const char *caucus_status_text(caucus_status status);

/* The version of the library at run time; CAUCUS_VERSION is that of the header. */
CAUCUS_API const char *caucus_version(void);

/* ---- context ------------------------------------------------------------------------- */

typedef struct caucus_ctx caucus_ctx;

/* A new context; free it with caucus_ctx_free. CAUCUS_ERR_MEMORY is the only failure. */
CAUCUS_API caucus_status caucus_ctx_new(caucus_ctx **out);
CAUCUS_API void caucus_ctx_free(caucus_ctx *ctx);

/* The message of the last failure in this context, or "" if there was none. It is valid until the
 * next failure in the context. A NULL context gives "out of memory", the only failure of
 * caucus_ctx_new. */
CAUCUS_API const char *caucus_message(const caucus_ctx *ctx);

/* The number of threads to use; 0, the default, is the number of cores. Results do not depend on
 * it. */
CAUCUS_API void caucus_set_threads(caucus_ctx *ctx, unsigned threads);

/* Receives notes about what is no failure (the format that was detected, a column that is ignored):
 * one sentence per call, without a newline. With fn = NULL notes are dropped. */
typedef void caucus_note_fn(void *user, const char *sentence);
CAUCUS_API void caucus_on_note(caucus_ctx *ctx, caucus_note_fn *fn, void *user);

/* Progress of a training run, at each iteration, from the calling thread. Of a study, a comparison
 * or the members of a pool: at each iteration of a run and after each run, from any thread but by
 * one at a time. Then iteration is the number of finished runs, passes that of all runs, dev the
 * score of the run that finished last, and the objective NaN. */
typedef struct {
    const char *solver; /* or "folds", "grid", "curve", "methods", "tuning", "members" */
    size_t iteration;
    size_t passes;    /* over the data so far */
    double objective; /* loss + penalty, a sum over the data */
    double gradient;  /* its norm; NaN if the solver has none */
    double dev;       /* score on the development set in [0,1]; NaN without one */
    double elapsed;   /* seconds */
    double remaining; /* seconds, an estimate; NaN while there is none */
    double norm;      /* of the weights; NaN if unknown */
    size_t weights;   /* their number in the model; 0 if unknown */
    double imbalance; /* of several processes: how much longer than the mean the slowest one
                         computed, 0.1 for 10%; 0 in a process alone */
} caucus_progress;

/* Return true to go on. On false, training ends after this iteration with the best model so far,
 * and its checkpoint is kept. fn may be NULL. */
typedef bool caucus_progress_fn(void *user, const caucus_progress *progress);
CAUCUS_API void caucus_on_progress(caucus_ctx *ctx, caucus_progress_fn *fn, void *user);

/* Receives what the weights are worth after each iteration of caucus_train, before the progress:
 * how many are not 0, and the labels that they give to the test data, in its order, as numbers of
 * classes (caucus_data_class); of a pool, nothing. It costs a pass over both, so that is not part
 * of the progress. */
typedef struct {
    size_t nonzero;
    const uint32_t *labels; /* [count], NULL without test data; valid during the call */
    size_t count;
} caucus_iterate;
typedef void caucus_iterate_fn(void *user, const caucus_iterate *iterate);
CAUCUS_API void caucus_on_iterate(caucus_ctx *ctx, caucus_iterate_fn *fn, void *user);

/* Several processes. In a process that mpirun, mpiexec or srun started with others, caucus_join
 * makes the context work with them: all of them call the same functions with the same arguments,
 * and each does a part. In training (docs/cluster.md) each process reads the data and keeps a part
 * of it; studies, pools and the files of caucus_tag_files are spread. Only rank 0 writes files
 * and text, and only there caucus_train gives a model (elsewhere NULL). In other processes
 * caucus_join does nothing. CAUCUS_ERR_UNSUPPORTED without the module for MPI, and CAUCUS_ERR_IO if
 * MPI does not start; caucus_rank is right even then. MPI can be started once in a process, so only
 * one context can join, and only the thread that joined may use it.
 *
 * After a failure that the other processes may not share, end the job with caucus_abort, which does
 * not return; otherwise they wait for ever. caucus_leave waits for the others. */
CAUCUS_API caucus_status caucus_join(caucus_ctx *ctx);
CAUCUS_API void caucus_leave(caucus_ctx *ctx);
CAUCUS_API void caucus_abort(caucus_ctx *ctx, int status);
CAUCUS_API size_t caucus_rank(const caucus_ctx *ctx);  /* 0 in a process alone */
CAUCUS_API size_t caucus_ranks(const caucus_ctx *ctx); /* 1 in a process alone */

/* The number of processes that a launcher started together, this one included, and the rank of this
 * one; 1 and 0 without a launcher. */
CAUCUS_API size_t caucus_launched(size_t *rank);

/* No index. */
#define CAUCUS_NONE SIZE_MAX

/* Receives the text that some functions write, in chunks and in order. Any status but CAUCUS_OK
 * ends the function that writes, which returns it. */
typedef caucus_status caucus_write_fn(void *user, const char *bytes, size_t length);

/* ---- options ------------------------------------------------------------------------- */

/* The options of one command ("train", "tag", "eval", "adapt", "cluster", "inspect", "convert",
 * "features", "serve", "doctor"): names and values as on the command line, without the dashes. The
 * parser of the program, its help, its manual page and the shell completion are made from the same
 * table. */
typedef struct caucus_options caucus_options;

typedef enum {
    CAUCUS_OPTION_FLAG,   /* no value: "1" or "0", or NULL for "1" */
    CAUCUS_OPTION_COUNT,  /* a whole number */
    CAUCUS_OPTION_REAL,   /* a finite number */
    CAUCUS_OPTION_CHOICE, /* one of `choices`, which are separated by '|' */
    CAUCUS_OPTION_TEXT,   /* any text */
    CAUCUS_OPTION_FILE,   /* a path */
    CAUCUS_OPTION_FILES,  /* a path; setting it again adds another */
    CAUCUS_OPTION_TEXTS,  /* any text; setting it again adds another */
} caucus_option_kind;

typedef struct {
    const char *name;
    const char *alias; /* a former name, which is still accepted; or NULL */
    char letter;       /* of the short form, or 0 */
    caucus_option_kind kind;
    const char *default_value; /* NULL if there is none */
    double min, max;           /* of COUNT and REAL */
    const char *choices;       /* of CHOICE */
    const char *value;         /* a name for the value in the help; NULL for a flag */
    const char *group;         /* heading in the help */
    const char *help;          /* a phrase without a full stop */
    bool common;               /* shown by the short help */
} caucus_option_info;

/* The options of a command by index, static; NULL after the last, and for an unknown command. */
CAUCUS_API const caucus_option_info *caucus_option_at(const char *command, size_t index);

/* All options of a command at their defaults. CAUCUS_ERR_ARGUMENT for an unknown command. */
CAUCUS_API caucus_status caucus_options_new(caucus_ctx *ctx, const char *command,
                                            caucus_options **out);
CAUCUS_API void caucus_options_free(caucus_options *options);

/* Sets one option. CAUCUS_ERR_ARGUMENT for a value out of range or an unknown name; the message
 * then suggests a valid one. The text is copied. value may be NULL for a flag. */
CAUCUS_API caucus_status caucus_options_set(caucus_ctx *ctx, caucus_options *options,
                                            const char *name, const char *value);

/* The value of an option as text: as it was set, or its default. NULL if it has neither, or does
 * not exist; the last value of an option that may be repeated. It belongs to the options, until
 * the option is set again. */
CAUCUS_API const char *caucus_options_get(const caucus_options *options, const char *name);

/* The values of an option that may be repeated, by index; NULL after the last. Any other option
 * has one value. */
CAUCUS_API const char *caucus_options_get_at(const caucus_options *options, const char *name,
                                             size_t index);

/* The name that a mistyped word probably means, or NULL. `names` ends with NULL. */
CAUCUS_API const char *caucus_nearest(const char *word, const char *const *names);

/* ---- data ---------------------------------------------------------------------------- */

/* Labelled data. It is immutable once it has been read or closed. */
typedef struct caucus_data caucus_data;

typedef struct {
    const char *name;
    double value; /* 1 for a feature that is simply present */
} caucus_feature;

/* Reads files as the options of "train" say (format, template, cutoff, dev-fraction ...). With the
 * options of "adapt" the files are those of target and source, and count is 0. "-" is standard
 * input; gzip, zstd and xz are decompressed. Free the result with caucus_data_free.
 * CAUCUS_ERR_FORMAT names file and line. */
CAUCUS_API caucus_status caucus_data_read(caucus_ctx *ctx, const caucus_options *options,
                                          const char *const *paths, size_t count,
                                          caucus_data **out);

/* Data from memory. The order of calls: caucus_data_new, the instances one by one, and
 * caucus_data_close, after which the data can be trained on. Everything is copied. Data that is
 * still growing belongs to one thread. CAUCUS_ERR_ARGUMENT for calls in another order, and for
 * strings that are not UTF-8.
 *
 * The options of "train" or "adapt" say how tokens become features (template, ngrams, lower,
 * counts) and what caucus_data_close does (cutoff, dev, dev-fraction, seed, test); NULL for the
 * defaults. Give the same options to caucus_train. */
CAUCUS_API caucus_status caucus_data_new(caucus_ctx *ctx, const caucus_options *options,
                                         caucus_data **out);

/* The text of a template instead of a file, before the first instance. */
CAUCUS_API caucus_status caucus_data_template(caucus_ctx *ctx, caucus_data *data, const char *text);

/* Adds an instance: a token of a sequence, or one for a classifier. All of the data has one form.
 *
 *   features  names and values. The values of a feature that is named twice add up; those that are
 *             not finite are CAUCUS_ERR_ARGUMENT.
 *   cells     the columns of a token, without its label, of which a template makes features; the
 *             first is the word. All tokens have the same number. The data is then in sequences.
 *   text      words, separated by blanks, of which the option ngrams makes features.
 *
 * The weight of an instance is finite and at least 0; of a sequence that of its first token counts.
 * In sequences a label may be "?" (unknown) or a set, "a|b". After a failure of
 * caucus_data_add_cells the sequence under way is forgotten; the other two add nothing then. */
CAUCUS_API caucus_status caucus_data_add_features(caucus_ctx *ctx, caucus_data *data,
                                                  const char *label, double weight,
                                                  const caucus_feature *features, size_t count);
CAUCUS_API caucus_status caucus_data_add_cells(caucus_ctx *ctx, caucus_data *data,
                                               const char *label, double weight,
                                               const char *const *cells, size_t count);
CAUCUS_API caucus_status caucus_data_add_text(caucus_ctx *ctx, caucus_data *data, const char *label,
                                              double weight, const char *text);

/* Ends a sequence: the instances since the last end. Either all of the data is in sequences or none
 * of it. */
CAUCUS_API caucus_status caucus_data_break(caucus_ctx *ctx, caucus_data *data);

/* Sets the part of the instances that follow; at first it is training data. Not inside a
 * sequence. */
typedef enum { CAUCUS_PART_TRAIN, CAUCUS_PART_DEV, CAUCUS_PART_TEST } caucus_part;
CAUCUS_API caucus_status caucus_data_part(caucus_ctx *ctx, caucus_data *data, caucus_part part);

/* Sets the group of the training data that follows, by any name. Studies and the option
 * dev-fraction keep groups whole. With the options of "adapt" the groups are the domains, and the
 * option target names the target domain. Either all training data has a group or none of it. Not
 * inside a sequence. */
CAUCUS_API caucus_status caucus_data_group(caucus_ctx *ctx, caucus_data *data, const char *name);

/* Splits off the development set, drops rare features, and makes the data immutable. After a
 * failure the data can only be freed. */
CAUCUS_API caucus_status caucus_data_close(caucus_ctx *ctx, caucus_data *data);

/* The number of instances in a part; 0 before the data is closed. */
CAUCUS_API size_t caucus_data_size(const caucus_data *data, caucus_part part);
CAUCUS_API void caucus_data_free(caucus_data *data);

/* The classes of closed data by their numbers, which are those of the models that are trained on
 * it; NULL for a number that is too large. The name belongs to the data. */
CAUCUS_API const char *caucus_data_class(const caucus_data *data, size_t index);

/* ---- training ------------------------------------------------------------------------ */

typedef struct caucus_model caucus_model;

/* Checks the options of "train" or "adapt" before any data is read: whether they go together, and
 * whether the output can be written. Optional: caucus_train does it too, but later. */
CAUCUS_API caucus_status caucus_train_check(caucus_ctx *ctx, const caucus_options *options);

/* Trains a model: with the options of "train", a model or a pool; with those of "adapt", a model
 * for the target domain by one method. Data and options are only read. A long call, which reports
 * to the progress callback and ends early with the best model so far when that returns false. With
 * the option output the model is also saved, and a training run that is interrupted leaves a
 * checkpoint beside it. CAUCUS_ERR_ARGUMENT for options that contradict the data, among them those
 * that should have been given when it was made (dev, dev-fraction, test, cutoff). */
CAUCUS_API caucus_status caucus_train(caucus_ctx *ctx, const caucus_data *data,
                                      const caucus_options *options, caucus_model **out);

/* Many training runs that answer one question. With the options of "train": how good are the
 * settings of a grid, or one setting, by folds or on development data; how much would more data
 * help (curve). With those of "adapt": which method is best (method all), by folds or on test data.
 * The result is immutable; free it with caucus_study_free. CAUCUS_ERR_STOPPED when the progress
 * callback ended it. */
typedef struct caucus_study caucus_study;
CAUCUS_API caucus_status caucus_study_run(caucus_ctx *ctx, const caucus_data *data,
                                          const caucus_options *options, caucus_study **out);
CAUCUS_API void caucus_study_free(caucus_study *study);

/* A row of a study: a setting, a method, or a size of a learning curve (of each method, if it
 * compares methods). It belongs to the study. */
typedef struct {
    const char *name;     /* "l2=0.1 l1=1", or "mega"; "" for one setting without a grid */
    double trained;       /* mean number of sequences (or instances) trained on; of target data in
                             an adaptation */
    double score, error;  /* mean over the runs, and its standard error; NaN for too few runs */
    double accuracy;      /* mean over the runs */
    const double *scores; /* [runs] of each fold or seed; NaN where there was too little data */
    size_t runs;
} caucus_study_row;
CAUCUS_API size_t caucus_study_rows(const caucus_study *study);
CAUCUS_API const caucus_study_row *caucus_study_at(const caucus_study *study, size_t row);

/* The row that a study chose: the best setting or method; CAUCUS_NONE of a curve. And what the
 * scores are: "F1" (of chunks) or "accuracy". */
CAUCUS_API size_t caucus_study_best(const caucus_study *study);
CAUCUS_API const char *caucus_study_measure(const caucus_study *study);

/* The options that train the setting or method of a row, for caucus_train on all data. Free them
 * with caucus_options_free. */
CAUCUS_API caucus_status caucus_study_options(caucus_ctx *ctx, const caucus_study *study,
                                              size_t row, caucus_options **out);

/* Writes the table, or JSON, as the options of the study said. Then fails if the figure of the
 * option plot could not be drawn. */
CAUCUS_API caucus_status caucus_study_write(caucus_ctx *ctx, const caucus_study *study,
                                            caucus_write_fn *write, void *user);

/* ---- what a model holds ---------------------------------------------------------------- */

/* Opens a model file by mapping it into memory, or a model of another program, which becomes one of
 * ours in memory (docs/peer-models.md). The file must not change while the model is open;
 * saving another model to the same path is fine, because that makes a new file. Free the model with
 * caucus_model_free. CAUCUS_ERR_FORMAT for a file that is no model, is cut short or is damaged;
 * damage in the weights or names of a large file is reported by the first call that uses them. */
CAUCUS_API caucus_status caucus_model_open(caucus_ctx *ctx, const char *path, caucus_model **out);

/* The same for a model file whose `length` bytes are in memory. They are copied. */
CAUCUS_API caucus_status caucus_model_from_bytes(caucus_ctx *ctx, const void *bytes, size_t length,
                                                 caucus_model **out);
CAUCUS_API void caucus_model_free(caucus_model *model);

/* Writes a new file beside the path and renames it, so that the path always holds the old file or
 * the new one. */
CAUCUS_API caucus_status caucus_model_save(caucus_ctx *ctx, const caucus_model *model,
                                           const char *path);

/* The same in the form of another program: one of the names of the option "as" of "convert".
 * CAUCUS_ERR_UNSUPPORTED, and no file, if that program has no such models. */
CAUCUS_API caucus_status caucus_model_export(caucus_ctx *ctx, const caucus_model *model,
                                             const char *form, const char *path);

/* The bytes that caucus_model_save writes. They belong to the model. CAUCUS_ERR_FORMAT when the
 * model was opened from a damaged file. */
CAUCUS_API caucus_status caucus_model_bytes(caucus_ctx *ctx, const caucus_model *model,
                                            const void **bytes, size_t *length);

/* The number of classes, and the name of one. Classes are numbered from 0, the same everywhere. The
 * name belongs to the model; it is NULL for an index that is too large. */
CAUCUS_API size_t caucus_model_classes(const caucus_model *model);
CAUCUS_API const char *caucus_model_class(const caucus_model *model, size_t index);

/* The kind of a model: "maxent", a classifier, or "memm" or "crf", which label sequences. Static.
 */
CAUCUS_API const char *caucus_model_kind(const caucus_model *model);

/* The form of the tokens that a model labels, and of cells their number (0: any), unless `cells` is
 * NULL. The function caucus_tagger_add_... of the same name takes them. */
typedef enum { CAUCUS_FORM_FEATURES, CAUCUS_FORM_CELLS, CAUCUS_FORM_TEXT } caucus_form;
CAUCUS_API caucus_form caucus_model_form(const caucus_model *model, size_t *cells);

/* Notes on the training of a model: the value of a key ("objective", "solver", "seed", ...;
 * `caucus inspect` lists them), or NULL. Every model has "model", its kind: maxent, memm or crf. It
 * belongs to the model. */
CAUCUS_API const char *caucus_model_info(const caucus_model *model, const char *key);

/* The features of a model, numbered from 0. Those of tokens have a weight for each class. Sequence
 * models may also have features of edges, from one token to the next, which have a weight for each
 * pair of classes. Features whose weights are all 0 are not kept in a model. */
typedef enum { CAUCUS_TOKEN_FEATURES, CAUCUS_EDGE_FEATURES } caucus_feature_kind;
CAUCUS_API size_t caucus_model_features(const caucus_model *model, caucus_feature_kind kind);

/* The name of a feature, which belongs to the model, and its length; no NUL byte follows it. NULL
 * for an index that is too large, and when the file is damaged. */
CAUCUS_API const char *caucus_model_feature(const caucus_model *model, caucus_feature_kind kind,
                                            size_t index, size_t *length);

/* The index of the feature with this name, or CAUCUS_NONE. */
CAUCUS_API size_t caucus_model_find(const caucus_model *model, caucus_feature_kind kind,
                                    const char *name);

/* The experts of a pool, or the components of an adapted model: their number, 0 for a single model,
 * and the weight of one in the vote; NaN for an index that is too large. */
CAUCUS_API size_t caucus_model_experts(const caucus_model *model);
CAUCUS_API double caucus_model_expert_weight(const caucus_model *model, size_t expert);

/* The weights of a feature: weights [classes], or, of an edge feature, [classes][classes], from row
 * to column. `expert` is the number of an expert, or CAUCUS_NONE for the model as a whole: of a
 * pool that is the sum over the experts, each times its weight. CAUCUS_ERR_ARGUMENT for a number
 * that is too large; CAUCUS_ERR_FORMAT when the file is damaged. */
CAUCUS_API caucus_status caucus_model_weights(caucus_ctx *ctx, const caucus_model *model,
                                              size_t expert, caucus_feature_kind kind, size_t index,
                                              double *weights);

/* The weight of a transition between two classes, and the intercept of a class; `expert` as above.
 * 0 where the model has none, NaN for a number that is too large. */
CAUCUS_API double caucus_model_transition(const caucus_model *model, size_t expert, size_t from,
                                          size_t to);
CAUCUS_API double caucus_model_intercept(const caucus_model *model, size_t expert, size_t label);

/* ---- applying a model ------------------------------------------------------------------ */

/* Labels sequences that a program has in memory, of any model. The order of calls:
 *
 *     for each token   caucus_tagger_add_cells, or _features, or _text; perhaps caucus_tagger_force
 *     then             caucus_tagger_run, and the functions that read the result
 *
 * and from the beginning for the next sequence, which replaces the result. A classifier labels each
 * token by itself. A tagger belongs to one thread at a time; any number of them may share a model.
 * Once it has labelled the longest sequence it allocates no memory. After any failure the sequence
 * is forgotten and the next one can begin. */
typedef struct caucus_tagger caucus_tagger;

/* The options of "tag" say what is computed; NULL: the best labels and nothing else. The result has
 *
 *     p(class | sequence) of each token       with probabilities, top or label-probability
 *     the probability of a labelling          with sequence-probability or nbest
 *     the N best labellings                   with nbest
 *     segments and their probabilities        with segments
 *
 * and decode, scheme and drop hold as for files. Borrows the model, which must outlive the tagger.
 * CAUCUS_ERR_ARGUMENT for options that do not go together or do not suit the model;
 * CAUCUS_ERR_FORMAT when the model file is damaged. */
CAUCUS_API caucus_status caucus_tagger_new(caucus_ctx *ctx, const caucus_model *model,
                                           const caucus_options *options, caucus_tagger **out);
CAUCUS_API void caucus_tagger_free(caucus_tagger *tagger);

/* Adds a token in the form that the model was trained on: the cells of a token, without its label,
 * for a model with a template; a line of text for a model of texts; else features. A model of texts
 * takes features, which are words, as well. Everything is copied. Features that the model does not
 * have are ignored, even if it has none of them. CAUCUS_ERR_ARGUMENT for another form than the
 * model takes, for another number of cells than it was trained on, and for values that are not
 * finite. */
CAUCUS_API caucus_status caucus_tagger_add_cells(caucus_ctx *ctx, caucus_tagger *tagger,
                                                 const char *const *cells, size_t count);
CAUCUS_API caucus_status caucus_tagger_add_features(caucus_ctx *ctx, caucus_tagger *tagger,
                                                    const caucus_feature *features, size_t count);
CAUCUS_API caucus_status caucus_tagger_add_text(caucus_ctx *ctx, caucus_tagger *tagger,
                                                const char *text);

/* A faster form of caucus_tagger_add_features for programs that give the same names to many tokens:
 * they hash a name once. caucus_tagger_key continues the key of the beginning of a name, 0 for the
 * empty string, with more of its bytes: the key of "word:cat" is that of "cat" after that of
 * "word:". Keys depend on the model. */
typedef struct {
    uint64_t key;
    double value;
} caucus_keyed_feature;
CAUCUS_API uint64_t caucus_tagger_key(const caucus_tagger *tagger, uint64_t beginning,
                                      const char *bytes, size_t length);
CAUCUS_API caucus_status caucus_tagger_add_keys(caucus_ctx *ctx, caucus_tagger *tagger,
                                                const caucus_keyed_feature *features, size_t count);

/* Allows the token that was added last only these labels: "a", or several, "a|b"; "?" allows all.
 * Probabilities are then conditional on that. For sequence models. */
CAUCUS_API caucus_status caucus_tagger_force(caucus_ctx *ctx, caucus_tagger *tagger,
                                             const char *labels);

/* Labels the tokens since the last run. CAUCUS_ERR_ARGUMENT without any; CAUCUS_ERR_NUMERIC when
 * forced labels and the scheme leave no labelling; CAUCUS_ERR_FORMAT when the model file is
 * damaged. */
CAUCUS_API caucus_status caucus_tagger_run(caucus_ctx *ctx, caucus_tagger *tagger);

/* The result of the last run. Its arrays are valid until the next token is added. Before a run and
 * after a failure, and for what the options did not ask for, counts are 0, arrays NULL and numbers
 * NaN. */

/* The number of tokens T, and of labellings: 1, or with nbest up to N. */
CAUCUS_API size_t caucus_tagger_length(const caucus_tagger *tagger);
CAUCUS_API size_t caucus_tagger_labellings(const caucus_tagger *tagger);

/* The labels [T] of a labelling, as numbers of classes, and its probability. Rank 0 is the best. */
CAUCUS_API const uint32_t *caucus_tagger_labels(const caucus_tagger *tagger, size_t rank);
CAUCUS_API double caucus_tagger_probability(const caucus_tagger *tagger, size_t rank);

/* 0 if exact decoding of a mixture (the option mix of "train") came to its limit: the labellings
 * are then the best that it found, and perhaps not the best. 1 after any other run. */
CAUCUS_API int caucus_tagger_certified(const caucus_tagger *tagger);

/* p(class | sequence) of each token, [T][caucus_model_classes]. */
CAUCUS_API const double *caucus_tagger_marginals(const caucus_tagger *tagger);

/* p(general | token): how much the component that all domains share contributes. For models of
 * adapt with several domains. */
CAUCUS_API double caucus_tagger_domain(const caucus_tagger *tagger, size_t token);

/* The segments of a labelling, in order, and their number: tokens begin to end - 1. */
typedef struct {
    size_t begin, end;
    const char *type;   /* "PER" of B-PER; "" where labels have none. It belongs to the model */
    double probability; /* of all of its labels together */
} caucus_segment;
CAUCUS_API const caucus_segment *caucus_tagger_segments(const caucus_tagger *tagger, size_t rank,
                                                        size_t *count);

/* Applies a model to a file ("-" is standard input) as the options of "tag" say, and writes one
 * line for each instance. Memory does not grow with the input. */
CAUCUS_API caucus_status caucus_tag(caucus_ctx *ctx, const caucus_model *model,
                                    const caucus_options *options, const char *path,
                                    caucus_write_fn *write, void *user);

/* The same for several files, one after the other. Several processes (caucus_join) share them, and
 * keep the text of one file each in memory; standard input is then refused. */
CAUCUS_API caucus_status caucus_tag_files(caucus_ctx *ctx, const caucus_model *model,
                                          const caucus_options *options, const char *const *paths,
                                          size_t count, caucus_write_fn *write, void *user);

/* Writes the view of a model that the options of "inspect" choose. */
CAUCUS_API caucus_status caucus_inspect(caucus_ctx *ctx, const caucus_model *model,
                                        const caucus_options *options, caucus_write_fn *write,
                                        void *user);

/* Writes the features that a template makes of each token of a file, as the options of "features"
 * say: one line per token in the format of CRFsuite, label TAB feature TAB feature ..., and edge
 * features after a field "|". */
CAUCUS_API caucus_status caucus_features(caucus_ctx *ctx, const caucus_options *options,
                                         const char *path, caucus_write_fn *write, void *user);

/* A format of data: the name for the options format and to, what it looks like in a few words, and
 * what it is. Static. */
typedef struct {
    const char *name, *looks, *about;
} caucus_format_info;

/* The formats by index, NULL after the last. */
CAUCUS_API const caucus_format_info *caucus_format_at(size_t index);

/* Says what is in a file of data ("-" is standard input) and what is probably wrong with it, as the
 * options of "doctor" say: sizes, labels, duplicates and so on, compared with a test file if the
 * option test names one. Writes a report or JSON. What is found is no failure. */
CAUCUS_API caucus_status caucus_doctor(caucus_ctx *ctx, const caucus_options *options,
                                       const char *path, caucus_write_fn *write, void *user);

/* A word of running text: where it is, and whether it is the first of a sentence. */
typedef struct {
    size_t begin, end; /* bytes begin to end - 1 */
    size_t from, to;   /* the same in characters (code points) */
    bool first;
} caucus_word;

/* The words of a text, by the rules of docs/text.md. Free them with caucus_words_free.
 * CAUCUS_ERR_ARGUMENT for text that is not UTF-8. */
CAUCUS_API caucus_status caucus_words(caucus_ctx *ctx, const char *text, size_t length,
                                      caucus_word **words, size_t *count);
CAUCUS_API void caucus_words_free(caucus_word *words);

/* Converts the text that `inspect --dump` wrote, or a model, to a model file, or with the option as
 * to that of another program. With the option to, converts data to that format; with the option
 * scheme, the labels of a file of columns to that scheme (B-, I-, O and so on) from any other. Then
 * "-" is standard input or output. */
CAUCUS_API caucus_status caucus_convert(caucus_ctx *ctx, const caucus_options *options,
                                        const char *from, const char *to);

/* ---- evaluation ---------------------------------------------------------------------- */

typedef struct caucus_scores caucus_scores;

/* The score of a model on labelled data when features are missing: the data is tagged with all
 * features, and once for each glob of the option drop without the features that it matches. Writes
 * a table or JSON. */
CAUCUS_API caucus_status caucus_robustness(caucus_ctx *ctx, const caucus_model *model,
                                           const caucus_options *options, const char *path,
                                           caucus_write_fn *write, void *user);

/* The sequences of labelled data that a model labels most surely wrong, as many as the option
 * errors says, each with the reasons. Writes text or JSON. CAUCUS_ERR_UNSUPPORTED for a model with
 * features for each class apart. */
CAUCUS_API caucus_status caucus_errors(caucus_ctx *ctx, const caucus_model *model,
                                       const caucus_options *options, const char *path,
                                       caucus_write_fn *write, void *user);

/* Scores files whose last two columns are the gold and the predicted label, or clusterings, as the
 * options of "eval" say. Free the result with caucus_scores_free. */
CAUCUS_API caucus_status caucus_evaluate(caucus_ctx *ctx, const caucus_options *options,
                                         const char *const *paths, size_t count,
                                         caucus_scores **out);

/* Gold and predicted labels in memory. Everything is borrowed for the call. Optional members are 0
 * or NULL. */
typedef struct {
    size_t count;                 /* tokens, or instances of a classifier */
    const char *const *gold;      /* [count] "?" leaves a token out of all scores */
    const char *const *predicted; /* [count] */
    const char *const *words;     /* [count] for the option known; optional */
    const size_t *ends; /* [sequences] the number of tokens up to the end of each sequence, so that
                           the last one is `count`; NULL: there is one sequence */
    size_t sequences;
    const double *probabilities;    /* [count][classes] p(class | token), which adds log-loss and
                                       calibration; may be NULL */
    const char *const *class_names; /* [classes] of the probabilities */
    size_t classes;
    const char *name;                 /* of the system, where it is compared; NULL: "the labels" */
    const char *const *const *others; /* [other_count][count] what other systems predict for the
                                         same tokens. Significance tests compare all of them, as
                                         the options unit, pairs, resamples and seed say */
    const char *const *other_names;   /* [other_count] */
    size_t other_count;
} caucus_labels;

/* The same scores for labels in memory. CAUCUS_ERR_ARGUMENT for labels that are NULL or empty, ends
 * that do not ascend to `count`, probabilities that do not add up to 1, and other systems both here
 * and in files of the option against. */
CAUCUS_API caucus_status caucus_score_labels(caucus_ctx *ctx, const caucus_options *options,
                                             const caucus_labels *labels, caucus_scores **out);
CAUCUS_API void caucus_scores_free(caucus_scores *scores);

/* One number: "accuracy", "macro-f1", "micro-f1", "log-loss", "calibration-error", "chunk-f1",
 * "chunk-precision", "chunk-recall", "accuracy-inside", or, of a class or a type of chunks,
 * "precision", "recall", "f1", "support"; of clusterings, the mean of "v", "v-beta", "vi",
 * "homogeneity", "completeness", "rand", "adjusted-rand", "purity", "pair-f1". label names the
 * class or type, and is NULL for the other measures. NaN if there is no such number. */
CAUCUS_API double caucus_scores_get(const caucus_scores *scores, const char *measure,
                                    const char *label);

/* The whole report, as a table or as JSON (options of "eval"). */
CAUCUS_API caucus_status caucus_scores_write(caucus_ctx *ctx, const caucus_scores *scores,
                                             const caucus_options *options, caucus_write_fn *write,
                                             void *user);

/* ---- clustering ---------------------------------------------------------------------- */

/* Groups items without labels. The order of calls: caucus_clustering_new; the items, from files
 * (_read) or from memory (_add), and what is known about them (_link, _class);
 * caucus_clustering_run once; then the functions that read its results. A clustering belongs to one
 * thread at a time until it has run; then it is immutable. CAUCUS_ERR_ARGUMENT for calls in another
 * order. After any failure it can only be freed. */
typedef struct caucus_clustering caucus_clustering;

/* An empty clustering with the options of "cluster", which are copied. */
CAUCUS_API caucus_status caucus_clustering_new(caucus_ctx *ctx, const caucus_options *options,
                                               caucus_clustering **out);
CAUCUS_API void caucus_clustering_free(caucus_clustering *clustering);

/* Adds the items of files as the options say; "-" is standard input. To be called once.
 * CAUCUS_ERR_FORMAT names file and line. */
CAUCUS_API caucus_status caucus_clustering_read(caucus_ctx *ctx, caucus_clustering *clustering,
                                                const char *const *paths, size_t count);

/* Adds one item from memory, with the counts or values of its features. Everything is copied. The
 * values of a feature that is named twice add up. CAUCUS_ERR_ARGUMENT for a name that is not UTF-8,
 * has a TAB or line end, or belongs to an earlier item, and for values that are not finite. */
CAUCUS_API caucus_status caucus_clustering_add(caucus_ctx *ctx, caucus_clustering *clustering,
                                               const char *item, const caucus_feature *features,
                                               size_t count);

/* Links two items that have been added: `together` is the probability that they belong together, 1
 * for a must-link, 0 for a cannot-link. caucus_clustering_run refuses links that contradict each
 * other. */
CAUCUS_API caucus_status caucus_clustering_link(caucus_ctx *ctx, caucus_clustering *clustering,
                                                const char *a, const char *b, double together);

/* The true class of an item that has been added, for scores and to answer questions. */
CAUCUS_API caucus_status caucus_clustering_class(caucus_ctx *ctx, caucus_clustering *clustering,
                                                 const char *item, const char *class_name);

/* A question about two items: do they belong together? Everything is borrowed until the answer. */
typedef struct {
    const char *a, *b;
    double together;      /* the share of samples in which they are together */
    size_t number, total; /* from 1 */
    const char *const *a_features, *const *b_features; /* the top features of each item */
    size_t a_count, b_count;
} caucus_question;

typedef enum {
    CAUCUS_ANSWER_TOGETHER,
    CAUCUS_ANSWER_APART,
    CAUCUS_ANSWER_SKIP, /* ask another question */
    CAUCUS_ANSWER_UNDO, /* withdraw the answer before this one; its question is asked again next */
    CAUCUS_ANSWER_QUIT, /* ask no more questions; go on with the answers so far */
} caucus_answer;

/* Answers a question. Anything but CAUCUS_OK ends caucus_clustering_run with that status. */
typedef caucus_status caucus_ask_fn(void *user, const caucus_question *question,
                                    caucus_answer *answer);

/* Draws samples, asks the questions of the option ask (`ask` may be NULL: the true classes answer),
 * and finds the consensus. Files that the options name are written, among them the model of the
 * option output. CAUCUS_ERR_STOPPED when the progress callback ended it. */
CAUCUS_API caucus_status caucus_clustering_run(caucus_ctx *ctx, caucus_clustering *clustering,
                                               caucus_ask_fn *ask, void *user);

/* The items: their number, and the name of one, which belongs to the clustering. Items that the
 * options leave out are not among them. */
CAUCUS_API size_t caucus_clustering_items(const caucus_clustering *clustering);
CAUCUS_API const char *caucus_clustering_item(const caucus_clustering *clustering, size_t item);

/* The consensus (of k-means, the best start): the number of clusters, the cluster of each item
 * [items], from 0, and the mean share of samples in which an item is with the others of its cluster
 * [items]. The arrays belong to the clustering; 0 and NULL before the run. */
CAUCUS_API size_t caucus_clustering_clusters(const caucus_clustering *clustering);
CAUCUS_API const uint32_t *caucus_clustering_assignment(const caucus_clustering *clustering);
CAUCUS_API const double *caucus_clustering_certainty(const caucus_clustering *clustering);

/* The samples: their number, and the cluster of each item in one of them [items], or NULL for an
 * index that is too large. Clusters of different samples have nothing to do with each other. */
CAUCUS_API size_t caucus_clustering_samples(const caucus_clustering *clustering);
CAUCUS_API const uint32_t *caucus_clustering_sample(const caucus_clustering *clustering,
                                                    size_t sample);

/* The questions that were answered, and not withdrawn, in this order: their number, and one of
 * them; its items are indices. All 0 for an index that is too large. */
typedef struct {
    size_t a, b;
    bool together; /* the answer */
} caucus_answered;
CAUCUS_API size_t caucus_clustering_answers(const caucus_clustering *clustering);
CAUCUS_API caucus_answered caucus_clustering_answer(const caucus_clustering *clustering,
                                                    size_t index);

/* A score against the true classes, the mean over the samples: "v", "v-beta", "vi", "homogeneity",
 * "completeness", "rand", "adjusted-rand", "purity", "pair-f1"; NaN without classes. */
CAUCUS_API double caucus_clustering_score(const caucus_clustering *clustering, const char *measure);

/* The report, as a table or as JSON (options of "cluster"). */
CAUCUS_API caucus_status caucus_clustering_write(caucus_ctx *ctx,
                                                 const caucus_clustering *clustering,
                                                 caucus_write_fn *write, void *user);

/* A model that assigns new items to the clusters, which are its classes: "c1" for cluster 0, "c2"
 * for cluster 1 and so on. */
CAUCUS_API caucus_status caucus_clustering_model(caucus_ctx *ctx,
                                                 const caucus_clustering *clustering,
                                                 caucus_model **out);

#ifdef __cplusplus
}
#endif

#endif
