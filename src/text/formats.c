/* formats.c - the table of formats. */

#include "text/formats.h"
#include "base/status.h"
#include "text/brat.h"

#define BLANK_LINES(characters)                                                                    \
    {                                                                                              \
        .rule = CAU_CUT_BLANKS, .blanks = characters                                               \
    }

/* For files whose first lines are all blank, so that their format is unknown. */
static cau_format_line_fn undetected_line;

const cau_format_entry cau_format_table[CAU_FORMATS] = {
    [CAU_FORMAT_AUTO] = {.info.name = "auto",
                         .info.looks = "detected",
                         .cut = BLANK_LINES(""),
                         .line = undetected_line},
    [CAU_FORMAT_TEXT] =
        {.info.name = "text",
         .info.looks = "label TAB words",
         .info.about =
             "One instance per line: a label, a tab, and words separated by blanks. The "
             "features are the words, or word n-grams with --ngrams. A line without a tab has "
             "no label. --tokenize splits punctuation off the words, --chars adds character "
             "n-grams, and --tfidf weighs words by their rarity. These options are for all formats "
             "of text.",
         .content = CAU_CONTENT_TEXT,
         .line = cau_text_line,
         .write = cau_text_write},
    [CAU_FORMAT_SVMLIGHT] = {.info.name = "svmlight",
                             .info.looks = "label index:value ...",
                             .info.about =
                                 "One instance per line: a label, then index:value pairs. # "
                                 "begins a comment, and qid:N is ignored.",
                             .line = cau_svmlight_line,
                             .write = cau_svmlight_write},
    [CAU_FORMAT_CRFSUITE] =
        {.info.name = "crfsuite",
         .info.looks = "label TAB attributes",
         .info.about =
             "One token per line: a label, then features separated by tabs, each with or "
             "without :value. In names, \\: is a colon and \\\\ a backslash. A blank line "
             "ends a sequence; @weight:X sets the weight of the tokens that follow in it.",
         .sequences = true,
         .cut = BLANK_LINES(""),
         .line = cau_crfsuite_line,
         .write = cau_crfsuite_write},
    [CAU_FORMAT_MEGAM] =
        {.info.name = "megam",
         .info.looks = "label feature ...",
         .info.about =
             "One instance per line: a label, optionally $$$WEIGHT and a number, then "
             "features, with --values each followed by its value. Features that are given for "
             "each class separately follow one # per class. A line DEV or TEST begins that "
             "part of the data.",
         .line = cau_megam_line,
         .write = cau_megam_write},
    [CAU_FORMAT_COLUMNS] =
        {.info.name = "columns",
         .info.looks = "columns, the label last",
         .info.about =
             "One token per line: cells separated by blanks or tabs, the label last. A blank "
             "line ends a sequence. A template makes features from the cells of a token and "
             "its neighbours (caucus help templates). The label ? is unknown, and a|b is one "
             "of the two. --columns and --label choose columns, by number from 0 or by the "
             "name in the --header; with --delimiter '\\t', cells may contain blanks.",
         .content = CAU_CONTENT_CELLS,
         .sequences = true,
         .cut = BLANK_LINES(" \t"),
         .sequence = cau_columns_sequence,
         .write = cau_columns_write},
    [CAU_FORMAT_CONLLU] =
        {.info.name = "conllu",
         .info.looks = "CoNLL-U",
         .info.about =
             "CoNLL-U. The template sees the form, or the fields that --columns names. The "
             "label is upos, or the --label xpos, deprel, feats.Case, misc.NER. `tag` writes "
             "CoNLL-U with the label in its field; comments, tokens of several words and "
             "empty nodes stay.",
         .content = CAU_CONTENT_CELLS,
         .sequences = true,
         .cut = BLANK_LINES(" \t"),
         .sequence = cau_columns_sequence,
         .write = cau_conllu_write},
    [CAU_FORMAT_SPANS] =
        {.info.name = "spans",
         .info.looks = "JSON lines of text and spans",
         .info.about =
             "A JSON object per line: a text and labelled spans, as spaCy, Prodigy, doccano and "
             "Label Studio write them. Words and sentences are found; spans must begin and end "
             "with words (--misaligned). `tag` writes the same with the predicted spans.",
         .content = CAU_CONTENT_CELLS,
         .sequences = true,
         .running = true,
         .sequence = cau_running_sequence,
         .write = cau_spans_write},
    [CAU_FORMAT_BRAT] =
        {.info.name = "brat",
         .info.looks = "a folder of .txt and .ann",
         .info.about =
             "Standoff annotations of brat: a folder, or a .txt or .ann, whose pair is beside it. "
             "Only text-bound annotations (T) are read; discontinuous ones are refused. `convert "
             "--to brat` writes a folder.",
         .content = CAU_CONTENT_CELLS,
         .sequences = true,
         .running = true,
         .sequence = cau_running_sequence,
         .write = cau_spans_write},
    [CAU_FORMAT_RAW] = {.info.name = "raw",
                        .info.looks = "running text",
                        .info.about =
                            "Running text without labels, for tag and features: one text per line. "
                            "Words and sentences are found; `tag` writes spans.",
                        .content = CAU_CONTENT_CELLS,
                        .sequences = true,
                        .running = true,
                        .sequence = cau_running_sequence},
    [CAU_FORMAT_CSV] =
        {.info.name = "csv",
         .info.looks = "a header, values separated by commas",
         .info.about =
             "One instance per record, with a header and the quotes of RFC 4180: a quoted field "
             "may "
             "hold commas, line ends and doubled quotes. --label names the column of the label, "
             "by default `label`. --text names the columns of words, by default `text`, and "
             "--columns those that become features: name=value or, for a number, the feature name "
             "with that value; without a column of words, these are all but the label. "
             "--delimiter ';' reads other files; --no-header and --no-quotes say what is missing.",
         .content = CAU_CONTENT_TEXT,
         .cut = {.rule = CAU_CUT_QUOTED, .delimiter = ','},
         .record = cau_csv_record,
         .write = cau_csv_write},
    [CAU_FORMAT_TSV] = {.info.name = "tsv",
                        .info.looks = "a header, values separated by TABs",
                        .info.about = "As csv, with TABs between the fields.",
                        .content = CAU_CONTENT_TEXT,
                        .cut = {.rule = CAU_CUT_QUOTED, .delimiter = '\t'},
                        .record = cau_csv_record,
                        .write = cau_csv_write},
    [CAU_FORMAT_JSON_TEXT] =
        {.info.name = "json-text",
         .info.looks = "JSON objects of text and label",
         .info.about = "JSON: an object per line, or an array of objects, with a text and a label. "
                       "--text and --label name other keys. Of an array of labels the first "
                       "counts, and --label-names A,B,... names labels that are numbers from 0.",
         .content = CAU_CONTENT_TEXT,
         .cut = {.rule = CAU_CUT_JSON},
         .record = cau_json_text_record,
         .write = cau_json_text_write},
    [CAU_FORMAT_JSON_TOKENS] =
        {.info.name = "json-tokens",
         .info.looks = "JSON objects of tokens and labels",
         .info.about =
             "JSON: an object per line, or an array of objects. Each is a sequence: an array of "
             "tokens, and one of labels in `labels`, `tags` or `ner_tags`. --columns "
             "tokens,pos_tags names the arrays that the template sees as columns, --label that of "
             "the labels, and --label-names O,B-PER,... names labels that are numbers, as in "
             "data sets of Hugging Face.",
         .content = CAU_CONTENT_CELLS,
         .sequences = true,
         .cut = {.rule = CAU_CUT_JSON},
         .sequence = cau_json_tokens_sequence,
         .write = cau_json_tokens_write},
    [CAU_FORMAT_FASTTEXT] =
        {.info.name = "fasttext",
         .info.looks = "__label__LABEL words",
         .info.about = "One instance per line: words, and labels that begin with __label__, which "
                       "is not part of the label. Of several labels the first counts.",
         .content = CAU_CONTENT_TEXT,
         .line = cau_fasttext_line,
         .write = cau_fasttext_write},
    [CAU_FORMAT_VW] =
        {.info.name = "vw",
         .info.looks = "label |namespace feature:value ...",
         .info.about = "Vowpal Wabbit, one instance per line: a label, its weight, a tag, then "
                       "namespaces of features. A feature is namespace^name; :value follows the "
                       "name. Labels with costs are not read.",
         .line = cau_vw_line,
         .write = cau_vw_write},
    [CAU_FORMAT_MALLET] =
        {.info.name = "mallet",
         .info.looks = "name label words",
         .info.about = "One instance per line: its name, a label, and words, separated by blanks; "
                       "with --no-label there is no label.",
         .content = CAU_CONTENT_TEXT,
         .line = cau_mallet_line,
         .write = cau_mallet_write},
    [CAU_FORMAT_SIMPLETAGGER] =
        {.info.name = "simpletagger",
         .info.looks = "features ... label",
         .info.about = "MALLET's SimpleTagger, one token per line: features separated by blanks, "
                       "then the label. A blank line ends a sequence. With --no-label there are "
                       "only features.",
         .sequences = true,
         .cut = BLANK_LINES(" \t"),
         .line = cau_simpletagger_line,
         .write = cau_simpletagger_write},
    [CAU_FORMAT_WAPITI] =
        {.info.name = "wapiti",
         .info.looks = "observations ... label",
         .info.about =
             "Observations of Wapiti, one token per line, as it reads them without patterns: each "
             "begins with u (for the label), b (for this label and the one before) or * (for "
             "both); then the label. A blank line ends a sequence. With --no-label there are only "
             "observations. Data for patterns of Wapiti is columns.",
         .sequences = true,
         .cut = BLANK_LINES(" \t"),
         .line = cau_wapiti_line,
         .write = cau_wapiti_write},
};

static caucus_status undetected_line(caucus_ctx *ctx, cau_reader *r, cau_str line,
                                     cau_line_kind *kind)
{
    cau_str token;
    if (cau_token(&line, &token))
        return cau_fail(ctx, CAUCUS_ERR_FORMAT,
                        CAU_AT "only blank lines before this one, so the format is not known; "
                               "say it with --format",
                        CAU_AT_ARGS(r->lines));
    *kind = CAU_LINE_NOTHING;
    return CAUCUS_OK;
}

const char *cau_format_name(cau_format format)
{
    return cau_format_table[format].info.name;
}

bool cau_has_sequences(cau_format format)
{
    return cau_format_table[format].sequences;
}

bool cau_has_text(cau_format format)
{
    return cau_format_table[format].content == CAU_CONTENT_TEXT;
}

bool cau_has_cells(cau_format format)
{
    return cau_format_table[format].content == CAU_CONTENT_CELLS;
}

caucus_status cau_format_open(caucus_ctx *ctx, const char *path, cau_format format, bool prompt,
                              cau_chunker **out)
{
    cau_input *in = NULL;
    if (format != CAU_FORMAT_BRAT) return cau_chunker_open(ctx, path, prompt, out);
    const caucus_status st = cau_brat_open(ctx, path, &in);
    return st ? st : cau_chunker_new(ctx, in, false, out);
}

bool cau_is_running(cau_format format)
{
    return cau_format_table[format].running;
}

cau_cut cau_read_cut(const cau_read_options *options)
{
    cau_cut cut = cau_format_table[options->format].cut;
    if (cut.rule == CAU_CUT_QUOTED) cut.delimiter = cau_csv_delimiter(options);
    if (cut.rule == CAU_CUT_QUOTED && options->layout.no_quotes) cut.rule = CAU_CUT_LINES;
    return cut;
}

const caucus_format_info *caucus_format_at(size_t index)
{
    return index + 1 < CAU_FORMATS ? &cau_format_table[index + 1].info : NULL;
}
