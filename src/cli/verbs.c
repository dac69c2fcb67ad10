/* verbs.c - the verbs of the program, and the words that explain them.
 *
 * One row for each verb. The overview, the help of a verb, the manual page and the shell
 * completions are all laid out from these rows and those of the options. */

#include <stdint.h>
#include <string.h>

#include "cli.h"

static const verb verbs[] = {
    {"train", "[options] -o MODEL DATA...", "learn a model from labelled data",
     "All DATA files together are one training set; \"-\" is standard input, and files packed "
     "by gzip, zstd or xz are read as they are. The format is found out from the first lines "
     "and said; --format forces it, and `caucus help formats` describes them.\n\n"
     "The objective is the negative log-likelihood summed over the data, plus the penalties. "
     "Other tools count penalties in other units: their names are options as well and are "
     "converted.\n\n"
     "Ctrl-C ends training after the iteration and saves the best model so far; the same "
     "command with --resume goes on to the model that an undisturbed run would have made. "
     "The same data, options and seed give the same file, byte for byte, on any number of "
     "threads.\n\n"
     "With --folds, --grid or --curve many models are trained side by side and a table tells "
     "what came of them; with -o the best setting is then trained on all data.",
     "caucus train -o spam.cau train.txt\n"
     "caucus train --ngrams 2 --dev dev.txt --patience 10 -o spam.cau train.txt\n"
     "caucus train --format svmlight --C 0.5 -o a9a.cau a9a.xz\n"
     "caucus train --template chunks.template --states all -o chunks.cau chunks.txt\n"
     "caucus train --folds 10 --grid 'l2=0.1,1,10' -o spam.cau train.txt\n"
     "caucus train --curve --test test.txt --plot curve.svg train.txt",
     NULL, 1, SIZE_MAX, cmd_train},
    {"tag", "[options] -m MODEL [DATA...]", "label data with a model",
     "Each instance becomes one line: its label in the data, a tab, and the label that the "
     "model gives it; for columns, the whole line and the label. Instances without a label "
     "get the second part only. Without DATA, standard input is read. Memory does not grow "
     "with the input.",
     "caucus tag -m spam.cau test.txt\n"
     "caucus tag -m spam.cau --top 3 < new.txt\n"
     "caucus tag -m names.cau --scheme iob2 --segments new.txt",
     NULL, 0, SIZE_MAX, cmd_tag},
    {"eval", "[options] [TAGGED...]", "score tagged data against the truth",
     "Reads what tag wrote: the last two columns are the true label and the given one. Labels "
     "that tell of chunks (O, B-NP, I-NP; also IO, IOBES, BILOU) give what conlleval prints, "
     "then more about types and boundaries; other labels are classes, with precision, recall and "
     "F1 of each. Without TAGGED, standard input is read.\n\n"
     "--against compares systems on the same tokens: McNemar's test on tokens, paired bootstrap "
     "and approximate randomisation on F1. --known tells what training has seen from what it has "
     "not. --clusters scores clusterings instead of labels.",
     "caucus tag -m chunks.cau test.txt | caucus eval\n"
     "caucus eval --known train.txt --against other.txt tagged.txt\n"
     "caucus tag -m spam.cau -p test.txt | caucus eval -p --confusion --json\n"
     "caucus eval --clusters classes.tsv samples.tsv",
     NULL, 0, SIZE_MAX, cmd_eval},
    {"adapt", "[options] --target F --source F [-o MODEL]", "learn for a domain with few labels",
     "--target has the labelled data of the domain that matters, each --source that of another "
     "domain, where labels are plentiful. MEGA learns what is particular to each domain, what they "
     "share, "
     "and, for each instance, which of the two to go by; the other methods are the usual ways to "
     "use such data. All are models for tag, eval and inspect; `tag --domain` tells how much of an "
     "answer comes from what is shared.\n\n"
     "--method all trains every method, scores them on --test or by cross-validation of the "
     "in-domain data (--folds), and tells whether they differ from MEGA by more than luck; with -o "
     "the best one is then trained on all data. --curve shows how much in-domain data is needed.",
     "caucus adapt --target calls.txt --source news.txt -o calls.cau\n"
     "caucus adapt --target calls.txt --source news.txt --method all --folds 10 --tune 0.1,1,10\n"
     "caucus adapt --target calls.txt --source news.txt --curve --plot curve.svg\n"
     "caucus tag -m calls.cau --domain new.txt",
     NULL, 0, 0, cmd_adapt},
    {"cluster", "[options] ITEMS...", "group items, and ask what teaches most",
     "Items are grouped by a Dirichlet process mixture: the number of groups is found out as well. "
     "Links say which items must or cannot be together, or probably are. With --ask, pairs of "
     "items "
     "whose answer is least certain are asked about: at a terminal (y, n, s to skip, u to undo, q "
     "to "
     "end), of the true classes of --gold, or of a program through lines of JSON (--by json). With "
     "--answers, every answer is kept at once, and the same command goes on after the last.\n\n"
     "The report names the groups by what tells them apart. With -o a model is written that "
     "assigns "
     "new items to the groups: `caucus tag` reads them as lines item TAB feature:count ...",
     "caucus cluster verbs.tsv\n"
     "caucus cluster --reduce nmf:35 --ask 20 --answers answers.tsv -o verbs.cau verbs.tsv\n"
     "caucus cluster --gold classes.tsv --ask 100 --plot curve.svg verbs.tsv\n"
     "caucus tag -m verbs.cau new.tsv",
     NULL, 1, SIZE_MAX, cmd_cluster},
    {"inspect", "[options] MODEL", "show what a model has learned",
     "How the model was made and the strongest features of each class; or what the options "
     "ask for.",
     "caucus inspect --top 20 spam.cau\n"
     "caucus inspect --explain 'win a free prize' spam.cau\n"
     "caucus inspect --expectations train.txt --json spam.cau",
     NULL, 1, 1, cmd_inspect},
    {"convert", "[options] FROM TO", "turn dumps into models, labels into another scheme",
     "FROM is what `inspect --dump` wrote, TO the model file to write: it has the very bytes "
     "of the model that was dumped.\n\n"
     "With --scheme, FROM is data in columns and TO the same data with its labels in another "
     "scheme: the chunks stay, labels that break the rules of their scheme are repaired as "
     "conlleval reads them, and counted. \"-\" is standard input and output.",
     "caucus inspect --dump spam.cau > spam.txt\n"
     "caucus convert spam.txt copy.cau\n"
     "caucus convert --scheme iobes train.txt train.iobes",
     NULL, 2, 2, cmd_convert},
    {"features", "[options] [DATA...]", "show what a template makes of data",
     "Each token becomes one line: its label, and the names of its features, separated by tabs: "
     "what a model would be trained on, in the format crfsuite. Features on edges follow behind "
     "a field \"|\". Without --template, the one that train takes when it is given none. "
     "Without DATA, standard input is read.",
     "caucus features --template chunks.template train.txt | head\n"
     "caucus features --format columns < train.txt > train.items",
     NULL, 0, SIZE_MAX, cmd_features},
    {"help", "[VERB]", "explain a verb",
     "Without VERB, an overview. `caucus help formats` describes how data may be written.", NULL,
     "train tag eval adapt cluster inspect convert features formats", 0, 1, cmd_help},
    {"manual", "", "print the manual page", "The whole of this help as a manual page in roff.",
     "caucus manual | man -l -", "", 0, 0, cmd_manual},
    {"completion", "SHELL", "print a completion script",
     "SHELL is bash, zsh or fish. The script completes verbs, options and their choices.",
     "eval \"$(caucus completion bash)\"\n"
     "caucus completion fish > ~/.config/fish/completions/caucus.fish",
     "bash zsh fish", 1, 1, cmd_completion},
    {"version", "", "print the version", "The version of the library that runs.", NULL, "", 0, 0,
     cmd_version},
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static const format_text formats[] = {
    {"text", "A label, a tab, and words separated by blanks. Features are the words, and with "
             "--ngrams sequences of them. A line without a tab has no label."},
    {"svmlight", "A label, then index:value pairs. A # starts a comment; qid:N is ignored."},
    {"crfsuite", "A label, then attributes separated by tabs, each with :value or without. "
                 "\\: and \\\\ stand for a colon and a backslash in a name. A blank line ends a "
                 "sequence; @weight:X weighs the instances of a sequence that follow."},
    {"megam", "A label, optionally $$$WEIGHT and a number, then features; with --values, each "
              "is followed by its value. Features of each class apart stand behind a # for each "
              "class. DEV or TEST alone on a line starts those parts."},
    {"columns", "Columns separated by blanks or tabs, the label last; a blank line ends a "
                "sequence. A template makes features of the cells of a token and its neighbours: "
                "--template, or a general one. The label ? is not known, and a|b is one of "
                "the two."},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const verb *verb_at(size_t index)
{
    return index < VERBS ? &verbs[index] : NULL;
}

const verb *verb_find(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}

/* Whether row i of the verb is in this group. */
static bool in_group(const verb *v, size_t i, const char *group)
{
    return strcmp(caucus_option_at(v->name, i)->group, group) == 0;
}

const caucus_option_info *option_grouped(const verb *v, size_t index)
{
    const caucus_option_info *first, *row;
    for (size_t i = 0; (first = caucus_option_at(v->name, i)); i++) {
        size_t earlier = 0;
        while (earlier < i && !in_group(v, earlier, first->group)) earlier++;
        if (earlier < i) continue;
        for (size_t j = i; (row = caucus_option_at(v->name, j)); j++)
            if (in_group(v, j, first->group) && index-- == 0) return row;
    }
    return NULL;
}

const format_text *format_at(size_t index)
{
    return index < FORMATS ? &formats[index] : NULL;
}

/* Edits that turn `word`, of at most LONGEST letters, into `name`: insert, delete, replace.
 *     d(i,j) = min( d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [word_i != name_j] ) */
enum { LONGEST = 20 };

static size_t distance(const char *word, const char *name)
{
    size_t m = strlen(word), n = strlen(name), d[LONGEST + 1];
    for (size_t i = 0; i <= m; i++) d[i] = i;
    for (size_t j = 1; j <= n; j++) {
        size_t corner = d[0];
        d[0] = j;
        for (size_t i = 1; i <= m; i++) {
            size_t best = corner + (word[i - 1] != name[j - 1]);
            if (d[i] + 1 < best) best = d[i] + 1;
            if (d[i - 1] + 1 < best) best = d[i - 1] + 1;
            corner = d[i];
            d[i] = best;
        }
    }
    return d[m];
}

int verb_unknown(const char *name)
{
    const verb *near = NULL;
    size_t least = 3; /* more than two edits is another word */
    for (size_t i = 0; i < VERBS && strlen(name) <= LONGEST; i++) {
        size_t edits = distance(name, verbs[i].name);
        if (edits < least) {
            least = edits;
            near = &verbs[i];
        }
    }
    if (near)
        say("there is no verb '%s'; did you mean '%s'?", name, near->name);
    else
        say("there is no verb '%s'; `caucus help` lists them", name);
    return MISUSED;
}
