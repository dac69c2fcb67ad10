/* words_test.c - words, sentences and places of text in several scripts. */

#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "text/words.h"

/* The words of a text with | between them, and || where a sentence begins. */
static const char *split(const char *text)
{
    static char out[1024];
    cau_words words = {.text = cau_str_of(text)};
    cau_word word;
    size_t n = 0;
    out[0] = '\0';
    while (cau_words_next(&words, &word)) {
        assert_true(word.begin < word.end && word.from < word.to);
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%.*s",
                              n == 0       ? ""
                              : word.first ? " || "
                                           : "|",
                              (int)(word.end - word.begin), text + word.begin);
        assert_true(n < sizeof out);
    }
    return out;
}

static void words_and_punctuation(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {" \t\n ", ""},
        {"Hello, world!", "Hello|,|world|!"},
        {"x2 a_b na\u00EFve nai\u0308ve", "x2|a_b|na\u00EFve|nai\u0308ve"},
        /* apostrophes */
        {"don't O'Brien's rock'n'roll 1990's", "don't|O'Brien|'s|rock'n'roll|1990|'s"},
        {"I'm they\u2019re she'd 'quoted'", "I|'m|they|\u2019re|she|'d|'|quoted|'"},
        {"l'homme qu\u2019il D'Angelo dell'anno aujourd'hui",
         "l'|homme|qu\u2019|il|D'|Angelo|dell'|anno|aujourd'hui"},
        {"the dogs' bowl", "the|dogs|'|bowl"},
        /* full stops, numbers */
        {"U.S. a.m., e.g. end.Start example.com", "U.S.|a.m.|,|e.g.|end|.|Start|example.com"},
        {"3.14 1,000.50 10:30 2-3 1996-08-22 -5 50%", "3.14|1,000.50|10:30|2|-|3|1996|-|08|-|22|-|"
                                                      "5|50|%"},
        {"a:b a,b 5.", "a|:|b|a|,|b|5|."},
        /* hyphens, runs */
        {"well-known -- what?! wait...", "well|-|known|--|what|?|!|wait|..."},
        /* addresses */
        {"see https://example.com/a?b=1&c=(d). (www.example.com/x)",
         "see|https://example.com/a?b=1&c=(d)|. || (|www.example.com/x|)"},
        {"first.last+x@mail.example.com, a@b", "first.last+x@mail.example.com|,|a|@|b"},
        {"@name (#tag_1) C# x@ #", "@name|(|#tag_1|)|C|#|x|@|#"},
        /* other scripts */
        {"\u6771\u4EAC\u306F\u30BF\u30EF\u30FC", "\u6771|\u4EAC|\u306F|\u30BF\u30EF\u30FC"},
        {"\u041C\u043E\u0441\u043A\u0432\u0430, \u05E9\u05DC\u05D5\u05DD",
         "\u041C\u043E\u0441\u043A\u0432\u0430|,|\u05E9\u05DC\u05D5\u05DD"},
        {"ok\U0001F469\u200D\U0001F680\U0001F44D\U0001F3FD",
         "ok|\U0001F469\u200D\U0001F680|\U0001F44D\U0001F3FD"},
        {"a\u00A0b\u200Bc\uFEFFd so\u00ADft", "a|b|c|d|so\u00ADft"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(split(cases[i].text), cases[i].words);
}

static void sentences(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"It rained. We left! Why? No.", "It|rained|. || We|left|! || Why|? || No|."},
        {"He said \"Go.\" Then (so.) He went.", "He|said|\"|Go|.|\" || Then|(|so|.|) || He|went|."},
        {"Dr. Smith met J. Doe. \"Good.\"", "Dr|.|Smith|met|J|.|Doe|. || \"|Good|.|\""},
        {"See No. 5 and Fig. 2. No. Yes.", "See|No|.|5|and|Fig|.|2|. || No|. || Yes|."},
        {"of the U.S. Army, e.g. Bob. 5 came", "of|the|U.S.|Army|,|e.g.|Bob|. || 5|came"},
        {"Yahoo! is one... or two... Three . . . four", "Yahoo|!|is|one|...|or|two|... || "
                                                        "Three|.|.|.|four"},
        {"A title\n\nA text\nin lines", "A|title || A|text|in|lines"},
        {"\u3042\u3002\u3044\uFF01\uFF1F\u3046", "\u3042|\u3002 || \u3044|\uFF01|\uFF1F || \u3046"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(split(cases[i].text), cases[i].words);
}

static void places_in_bytes_and_characters(void **state)
{
    static const char text[] = "\u00C9t\u00E9 \U0001F44D ok";
    static const cau_word want[] = {
        {0, 5, 0, 3, true}, {6, 10, 4, 5, false}, {11, 13, 6, 8, false}};
    cau_words words = {.text = cau_str_of(text)};
    cau_word word;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(cau_words_next(&words, &word));
        assert_int_equal(word.begin, want[i].begin);
        assert_int_equal(word.end, want[i].end);
        assert_int_equal(word.from, want[i].from);
        assert_int_equal(word.to, want[i].to);
        assert_int_equal(word.first, want[i].first);
    }
    assert_false(cau_words_next(&words, &word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_punctuation),
        cmocka_unit_test(sentences),
        cmocka_unit_test(places_in_bytes_and_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
