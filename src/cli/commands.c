/* commands.c - the table of commands, and the commands that are a single call of the library.
 *
 * The overview, the help of a command, the manual page and the shell completions are laid out from
 * this table and that of the options. */

#include <stdint.h>
#include <string.h>

#include "cli.h"
#include "serve.h"

/* ---- short commands -------------------------------------------------------------------------- */

static int cmd_tag(const request *r)
{
    const char *path = caucus_options_get(r->options, "model");
    if (!path)
        return misused("tag needs -m MODEL, the model to apply; usage: caucus tag %s",
                       r->command->synopsis);
    caucus_model *model = NULL;
    caucus_status st = caucus_model_open(r->ctx, path, &model);
    if (st) return failed(r->ctx, st);

    size_t count;
    const char *const *input = request_inputs(r, &count);
    st = caucus_tag_files(r->ctx, model, r->options, input, count, output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}

static int cmd_features(const request *r)
{
    size_t count;
    caucus_status st = CAUCUS_OK;
    const char *const *input = request_inputs(r, &count);
    for (size_t i = 0; i < count && !st; i++)
        st = caucus_features(r->ctx, r->options, input[i], output_write, NULL);
    return output_status(r->ctx, st);
}

/* Tags a file with a model and scores the labels, with all features and without some. */
static int eval_model(const request *r, const char *path)
{
    size_t count;
    const char *const *input = request_inputs(r, &count);
    caucus_model *model = NULL;
    if (count > 1) return misused("eval --model takes one file of data");
    caucus_status st = caucus_model_open(r->ctx, path, &model);
    const bool errors = strcmp(caucus_options_get(r->options, "errors"), "0") != 0;
    if (!st && errors)
        st = caucus_errors(r->ctx, model, r->options, input[0], output_write, NULL);
    else if (!st)
        st = caucus_robustness(r->ctx, model, r->options, input[0], output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}

static int cmd_eval(const request *r)
{
    const char *model = caucus_options_get(r->options, "model");
    if (model) return eval_model(r, model);
    if (caucus_options_get(r->options, "drop"))
        return misused("--drop needs a model; add -m MODEL, and give data to tag");
    if (strcmp(caucus_options_get(r->options, "errors"), "0") != 0)
        return misused("--errors needs a model; add -m MODEL, and give labelled data");

    size_t count;
    const char *const *input = request_inputs(r, &count);
    caucus_scores *scores = NULL;
    caucus_status st = caucus_evaluate(r->ctx, r->options, input, count, &scores);
    if (!st) st = caucus_scores_write(r->ctx, scores, r->options, output_write, NULL);
    caucus_scores_free(scores);
    return output_status(r->ctx, st);
}

static int cmd_inspect(const request *r)
{
    caucus_model *model = NULL;
    caucus_status st = caucus_model_open(r->ctx, r->operand[0], &model);
    if (!st) st = caucus_inspect(r->ctx, model, r->options, output_write, NULL);
    caucus_model_free(model);
    return output_status(r->ctx, st);
}

static int cmd_serve(const request *r)
{
    if (!caucus_options_get(r->options, "model"))
        return misused("serve needs -m MODEL, the model to serve; usage: caucus serve %s",
                       r->command->synopsis);
    const caucus_status st = cau_serve(r->ctx, r->options);
    return st ? failed(r->ctx, st) : DONE;
}

static int cmd_convert(const request *r)
{
    const caucus_status st = caucus_convert(r->ctx, r->options, r->operand[0], r->operand[1]);
    return st ? failed(r->ctx, st) : DONE;
}

static int cmd_doctor(const request *r)
{
    size_t count;
    const char *const *input = request_inputs(r, &count);
    return output_status(r->ctx, caucus_doctor(r->ctx, r->options, input[0], output_write, NULL));
}

static int cmd_version(const request *r)
{
    (void)r;
    printf("caucus %s\n", caucus_version());
    return DONE;
}

/* ---- the table ------------------------------------------------------------------------------- */

static const command commands[] = {
    {.name = "train",
     .synopsis = "[options] -o MODEL DATA...",
     .summary = "train a model on labelled data",
     .about = "Trains a classifier, or a sequence model if the data has sequences, on all DATA "
              "files together. \"-\" is standard input; files compressed by gzip, zstd or xz are "
              "decompressed.\n\n"
              "The objective is the negative log-likelihood, summed over the data, plus the "
              "penalties (caucus help penalties). Ctrl-C ends training after the current iteration "
              "and saves the best model so far; the same command with --resume continues, and "
              "ends with the model of an uninterrupted run. The same data, options and seed give "
              "the same file, byte for byte, on any number of threads.\n\n"
              "With --folds, --grid or --curve, many models are trained in parallel and the result "
              "is a table; with -o, the best setting is then trained on all data.",
     .examples = "caucus train -o spam.cau train.txt\n"
                 "caucus train --ngrams 2 --dev dev.txt --patience 10 -o spam.cau train.txt\n"
                 "caucus train --template chunks.template -o chunks.cau chunks.txt\n"
                 "caucus train --folds 10 --grid 'l2=0.1,1,10' -o spam.cau train.txt",
     .slips = "learn fit build",
     .least = 1,
     .most = SIZE_MAX,
     .ranks = true,
     .run = cmd_train},
    {.name = "tag",
     .synopsis = "[options] -m MODEL [DATA...]",
     .summary = "label data with a model",
     .about = "Writes one line for each instance: its label in the data, a tab, and the label that "
              "the model predicts; for columns, the whole line and the label. If the data has no "
              "labels, only the prediction is written. Without DATA, standard input is read. "
              "Memory does not grow with the input.",
     .examples = "caucus tag -m spam.cau test.txt\n"
                 "caucus tag -m spam.cau --top 3 < new.txt\n"
                 "caucus tag -m names.cau --scheme iob2 --segments new.txt",
     .slips = "predict apply label decode classify annotate",
     .most = SIZE_MAX,
     .ranks = true,
     .run = cmd_tag},
    {.name = "eval",
     .synopsis = "[options] [TAGGED...]",
     .summary = "score predicted labels against true labels",
     .about = "Reads the output of tag: the last two columns are the true and the predicted label. "
              "Labels that encode chunks (O, B-NP, I-NP; also IO, IOBES, BILOU) get the report of "
              "conlleval and more about types and boundaries; other labels are classes, with "
              "precision, recall and F1 of each. Without TAGGED, standard input is read.\n\n"
              "--against compares systems on the same tokens by McNemar's test, the paired "
              "bootstrap and approximate randomisation. --known scores known and unknown words "
              "separately. --clusters scores clusterings.",
     .examples = "caucus tag -m chunks.cau test.txt | caucus eval\n"
                 "caucus eval --known train.txt --against other.txt tagged.txt\n"
                 "caucus tag -m spam.cau -p test.txt | caucus eval -p --confusion --json\n"
                 "caucus eval --clusters classes.tsv samples.tsv",
     .slips = "test score evaluate conlleval",
     .most = SIZE_MAX,
     .run = cmd_eval},
    {.name = "adapt",
     .synopsis = "[options] --target FILE --source FILE... [-o MODEL]",
     .summary = "train for a domain with few labels, with the help of others",
     .about = "Trains a model for the domain of --target, where labels are scarce, with the help "
              "of the domains of each --source, where they are plentiful.\n\n"
              "MEGA learns what is specific to each domain, what all domains share, and how to "
              "weigh the two for each instance; the other methods are common baselines. Every "
              "result is a model for tag, eval and inspect; `tag --domain` shows the weight of the "
              "shared part.\n\n"
              "--method all trains every method, scores it on --test or by cross-validation on the "
              "target data (--folds), and tests the difference to MEGA for significance; with -o, "
              "the best method is then trained on all data. --curve shows how much target data is "
              "needed.",
     .examples = "caucus adapt --target calls.txt --source news.txt -o calls.cau\n"
                 "caucus adapt --target calls.txt --source news.txt --method all --folds 10\n"
                 "caucus adapt --target calls.txt --source news.txt --curve --plot curve.svg\n"
                 "caucus tag -m calls.cau --domain new.txt",
     .slips = "transfer finetune fine-tune",
     .ranks = true,
     .run = cmd_adapt},
    {.name = "cluster",
     .synopsis = "[options] ITEMS...",
     .summary = "group items without labels, and ask about uncertain pairs",
     .about = "Groups items by a Dirichlet process mixture, which also infers the number of "
              "groups.\n\n"
              "--links says which items must or cannot be together, or probably are. --ask asks "
              "about the pairs whose answers are most informative: at the terminal (y, n, s to "
              "skip, u to undo, q to quit), of the true classes of --gold, or of a program through "
              "lines of JSON (--by json). --answers saves every answer at once, and the same "
              "command continues after the last one.\n\n"
              "The report describes the groups by their top features. With -o, a model is written "
              "that assigns new items to the groups: `caucus tag` reads lines of item TAB "
              "feature:count ...",
     .examples = "caucus cluster verbs.tsv\n"
                 "caucus cluster --reduce nmf:35 --ask 20 --answers answers.tsv -o verbs.cau "
                 "verbs.tsv\n"
                 "caucus cluster --gold classes.tsv --ask 100 --plot curve.svg verbs.tsv\n"
                 "caucus tag -m verbs.cau new.tsv",
     .slips = "group clusters",
     .least = 1,
     .most = SIZE_MAX,
     .run = cmd_cluster},
    {.name = "inspect",
     .synopsis = "[options] MODEL",
     .summary = "show what a model has learned",
     .about = "Shows how the model was trained and the top features of each label, or what an "
              "option selects.",
     .examples = "caucus inspect --top 20 spam.cau\n"
                 "caucus inspect --explain 'win a free prize' spam.cau\n"
                 "caucus inspect --expectations train.txt --json spam.cau",
     .slips = "show dump info explain",
     .least = 1,
     .most = 1,
     .run = cmd_inspect},
    {.name = "convert",
     .synopsis = "[options] FROM TO",
     .summary = "turn data into another format, a model into another form",
     .about =
         "With --to, FROM is data in any format, and TO the same data in another one (caucus "
         "help formats). What that format cannot hold is an error that says what and where.\n\n"
         "Without it, FROM is the output of `inspect --dump`, and TO is the model file to write, "
         "which "
         "is identical to the dumped model. FROM may also be a model, ours or that of another "
         "program. --as writes it for another program (caucus help models).\n\n"
         "With --scheme, FROM is data in columns, and TO the same data with its labels in "
         "another scheme. The chunks stay the same; illegal labels are repaired as conlleval "
         "reads them, and counted. \"-\" is standard input or output.",
     .examples = "caucus convert --to crfsuite train.wapiti train.items\n"
                 "caucus inspect --dump spam.cau > spam.txt\n"
                 "caucus convert spam.txt copy.cau\n"
                 "caucus convert crfsuite.model m.cau\n"
                 "caucus convert --scheme iobes train.txt train.iobes",
     .slips = "import undump",
     .least = 2,
     .most = 2,
     .run = cmd_convert},
    {.name = "features",
     .synopsis = "[options] [DATA...]",
     .summary = "show the features that a template makes of data",
     .about =
         "Writes one line for each token: its label and the names of its features, separated "
         "by tabs, as `train` would see them; the format is crfsuite. Features on edges follow "
         "a field \"|\". Without --template, the default template is used. Without DATA, "
         "standard input is read.",
     .examples = "caucus features --template chunks.template train.txt | head\n"
                 "caucus features --format columns < train.txt > train.items",
     .slips = "extract",
     .most = SIZE_MAX,
     .run = cmd_features},
    {.name = "serve",
     .synopsis = "[options] -m MODEL",
     .summary = "label data over HTTP, and explain labels in a browser",
     .about = "Listens on the loopback address, or on --host with a token, and answers requests: "
              "POST /v1/tag labels sequences, GET /v1/models tells what is served, and the page at "
              "/ shows the labels of what one types, and why (docs/serve.md).\n\n"
              "SIGTERM and Ctrl-C stop after the last answer. A model whose file is replaced is "
              "loaded again, without losing a request; SIGHUP loads all models and opens the "
              "access log again.",
     .examples = "caucus serve -m names.cau\n"
                 "curl -H 'Content-Type: text/plain' -d 'Kim lives in Oslo' "
                 "localhost:8080/v1/tag\n"
                 "caucus serve -m names.cau --host 0.0.0.0 --token-file token",
     .slips = "server http daemon web",
     .run = cmd_serve},
    {.name = "doctor",
     .synopsis = "[options] [DATA]",
     .summary = "say what is in a file of data, and what is probably wrong with it",
     .about = "Reads DATA as train would, and reports its format, sizes, labels and their scheme. "
              "Then it lists findings, each with the place: sentences that are labelled in two "
              "ways, duplicates, labels that break the scheme or are rare, columns that are "
              "constant, numbered or tell the label, a label column that is the wrong one, unusual "
              "characters, very long sentences. With --test, sentences of the test data that are "
              "also in DATA, and labels that DATA lacks. Without DATA, standard input is read.\n\n"
              "The exit status is 0 whatever is found.",
     .examples = "caucus doctor train.txt\n"
                 "caucus doctor --test test.txt train.txt\n"
                 "caucus doctor --json train.txt | jq '.findings[].text'",
     .slips = "check lint validate diagnose",
     .most = 1,
     .run = cmd_doctor},
    {.name = "compat",
     .synopsis = "PROGRAM [ARGUMENT...]",
     .summary = "stand in for crfsuite, crf_learn, crf_test or wapiti",
     .about =
         "Takes the arguments of that program, and prints and writes what it would: models in "
         "its own format, labels in its own layout. Scripts that start the program run "
         "unchanged when a link of its name to caucus comes first on the PATH (make "
         "install-shims). `caucus compat wapiti train -h` lists the options. An option that has "
         "no meaning here is ignored with a note; one whose effect is missing is an error.",
     .examples = "caucus compat crfsuite learn -m chunks.crfsuite train.items\n"
                 "caucus compat crfsuite tag -m chunks.crfsuite -r test.items\n"
                 "caucus compat crf_learn -c 4.0 template train.txt chunks.model\n"
                 "caucus compat wapiti label -m chunks.wapiti test.txt",
     .words = "crfsuite crf_learn crf_test wapiti",
     .least = 1,
     .most = SIZE_MAX,
     .raw = true,
     .run = cmd_compat},
    {.name = "help",
     .synopsis = "[COMMAND | TOPIC]",
     .summary = "explain a command or a topic",
     .about = "Without an argument, lists the commands and the topics. `caucus COMMAND --help` "
              "shows the common options of a command, and --help-all all of them.",
     .words = "train tag eval adapt cluster inspect convert features serve doctor compat "
              "formats templates penalties solvers models",
     .most = 1,
     .run = cmd_help},
    {.name = "manual",
     .synopsis = "",
     .summary = "print the manual page",
     .about = "Prints the whole help as a manual page in roff.",
     .examples = "caucus manual | man -l -",
     .words = "",
     .slips = "man",
     .run = cmd_manual},
    {.name = "completion",
     .synopsis = "SHELL",
     .summary = "print a completion script for bash, zsh or fish",
     .about = "The script completes commands, options and their values.",
     .examples = "eval \"$(caucus completion bash)\"\n"
                 "caucus completion fish > ~/.config/fish/completions/caucus.fish",
     .words = "bash zsh fish",
     .least = 1,
     .most = 1,
     .run = cmd_completion},
    {.name = "version",
     .synopsis = "",
     .summary = "print the version",
     .about = "Prints the version of the library that runs.",
     .words = "",
     .slips = "v",
     .run = cmd_version},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const command *command_at(size_t index)
{
    return index < COMMANDS ? &commands[index] : NULL;
}

const command *command_find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

/* Whether a list of words that blanks separate has this word. */
static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (; list && *list; list += strspn(list, " ")) {
        const size_t length = strcspn(list, " ");
        if (length == n && memcmp(list, word, n) == 0) return true;
        list += length;
    }
    return false;
}

const char *command_guess(const char *name)
{
    const char *names[COMMANDS + 1] = {0};
    for (size_t i = 0; i < COMMANDS; i++) {
        if (has_word(commands[i].slips, name)) return commands[i].name;
        names[i] = commands[i].name;
    }
    return caucus_nearest(name, names);
}
