/* completion.c - caucus completion: scripts that complete verbs, options and choices.
 *
 * Each shell gets one script, written from the rows of verbs and options. All three complete
 * an option's value by its kind: a choice from its list, a path as a file, a number or a text
 * not at all. Operands are files, except where a verb has words of its own. */

#include <string.h>

#include "cli.h"

static bool is_path(const caucus_option_info *row)
{
    return row->kind == CAUCUS_OPTION_FILE || row->kind == CAUCUS_OPTION_FILES;
}

/* Prints "a|b|c" or "a b c" with one blank between the words. */
static void print_list(const char *words)
{
    for (; *words; words++) putchar(*words == '|' ? ' ' : *words);
}

/* Prints text inside single quotes: '\'' for a quote, and a backslash before any of `special`. */
static void print_quoted(const char *text, const char *quote, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(quote, stdout);
        } else {
            if (strchr(special, *text)) putchar('\\');
            putchar(*text);
        }
    }
}

/* ---- bash ---------------------------------------------------------------------------- */

/* The pattern of a case branch: 'train --format'|'train -f' */
static void bash_pattern(const verb *v, const caucus_option_info *row)
{
    printf("    '%s --%s'", v->name, row->name);
    if (row->letter) printf("|'%s -%c'", v->name, row->letter);
    fputs(") ", stdout);
}

static void bash_values(const verb *v)
{
    const caucus_option_info *row;
    for (size_t i = 0; (row = caucus_option_at(v->name, i)); i++) {
        if (row->kind == CAUCUS_OPTION_FLAG) continue;
        bash_pattern(v, row);
        if (row->kind == CAUCUS_OPTION_CHOICE) {
            fputs("words='", stdout);
            print_list(row->choices);
            puts("' ;;");
        } else if (is_path(row)) {
            puts("files=1 ;;");
        } else {
            puts("return ;;");
        }
    }
}

static void bash_verb(const verb *v)
{
    const caucus_option_info *row;
    printf("    %s) options='", v->name);
    for (size_t i = 0; (row = caucus_option_at(v->name, i)); i++) {
        if (row->letter) printf("-%c ", row->letter);
        printf("--%s ", row->name);
    }
    fputs("-h --help' ", stdout);
    if (v->words)
        printf("words='%s' ;;\n", v->words);
    else
        puts("files=1 ;;");
}

static void print_bash(void)
{
    const verb *v;
    puts("# bash completion for caucus; written by `caucus completion bash`\n"
         "_caucus()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local verb=${COMP_WORDS[1]} words='' options='' files=''\n"
         "    COMPREPLY=()\n"
         "    # bash takes --name=value for three words\n"
         "    if [[ $cur == '=' ]]; then\n"
         "        cur=''\n"
         "    elif [[ $prev == '=' ]]; then\n"
         "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi\n"
         "    if [[ $COMP_CWORD -eq 1 ]]; then");
    fputs("        words='", stdout);
    for (size_t i = 0; (v = verb_at(i)); i++) printf("%s ", v->name);
    puts("--help --version'\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "        return\n"
         "    fi\n"
         "    case \"$verb $prev\" in");
    for (size_t i = 0; (v = verb_at(i)); i++) bash_values(v);
    puts("    *) case $verb in");
    for (size_t i = 0; (v = verb_at(i)); i++) bash_verb(v);
    puts("    esac ;;\n"
         "    esac\n"
         "    if [[ $cur == -* && $options ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
         "    elif [[ $words ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "    elif [[ $files ]]; then\n"
         "        compopt -o default\n"
         "    fi\n"
         "}\n"
         "complete -F _caucus caucus");
}

/* ---- zsh ----------------------------------------------------------------------------- */

/* '(-f --format)'{-f+,--format=}'[help]:NAME:(auto text)' */
static void zsh_option(const caucus_option_info *row)
{
    bool flag = row->kind == CAUCUS_OPTION_FLAG;
    const char *plus = flag ? "" : "+", *equals = flag ? "" : "=";
    if (row->letter)
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter,
               plus, row->name, equals);
    else
        printf("            '--%s%s[", row->name, equals);
    print_quoted(row->help, "'\\''", "[]\\");
    putchar(']');
    if (!flag) {
        printf(":%s:", row->value);
        if (row->kind == CAUCUS_OPTION_CHOICE) {
            putchar('(');
            print_list(row->choices);
            putchar(')');
        } else if (is_path(row)) {
            fputs("_files", stdout);
        }
    }
    puts("' \\");
}

static void print_zsh(void)
{
    const verb *v;
    const caucus_option_info *row;
    puts("#compdef caucus\n"
         "# zsh completion for caucus; written by `caucus completion zsh`\n"
         "_caucus() {\n"
         "    local curcontext=$curcontext state line\n"
         "    typeset -A opt_args\n"
         "    _arguments -C '(- *)'{-h,--help}'[overview]' '(- *)--version[print the version]' \\\n"
         "        '1: :->verb' '*:: :->rest' && return\n"
         "    case $state in\n"
         "    verb)\n"
         "        local -a verbs=(");
    for (size_t i = 0; (v = verb_at(i)); i++) {
        printf("            '%s:", v->name);
        print_quoted(v->summary, "'\\''", ":\\");
        puts("'");
    }
    puts("        )\n"
         "        _describe verb verbs ;;\n"
         "    rest)\n"
         "        case $words[1] in");
    for (size_t i = 0; (v = verb_at(i)); i++) {
        printf("        %s) _arguments -s \\\n", v->name);
        for (size_t k = 0; (row = caucus_option_at(v->name, k)); k++) zsh_option(row);
        fputs("            '(- *)'{-h,--help}'[show help]' ", stdout);
        if (!v->words)
            puts("'*:file:_files' ;;");
        else if (*v->words)
            printf("'1:word:(%s)' ;;\n", v->words);
        else
            puts(";;");
    }
    puts("        esac ;;\n"
         "    esac\n"
         "}\n"
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "    _caucus \"$@\"\n"
         "else\n"
         "    compdef _caucus caucus\n"
         "fi");
}

/* ---- fish ---------------------------------------------------------------------------- */

static void fish_option(const verb *v, const caucus_option_info *row)
{
    printf("complete -c caucus -n '__fish_seen_subcommand_from %s' -l %s", v->name, row->name);
    if (row->letter) printf(" -s %c", row->letter);
    if (row->kind == CAUCUS_OPTION_CHOICE) {
        fputs(" -x -a '", stdout);
        print_list(row->choices);
        putchar('\'');
    } else if (is_path(row)) {
        fputs(" -r -F", stdout);
    } else if (row->kind != CAUCUS_OPTION_FLAG) {
        fputs(" -x", stdout);
    }
    fputs(" -d '", stdout);
    print_quoted(row->help, "\\'", "\\");
    puts("'");
}

static void print_fish(void)
{
    const verb *v;
    const caucus_option_info *row;
    puts("# fish completion for caucus; written by `caucus completion fish`\n"
         "complete -c caucus -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c caucus -s h -l help -d 'show help'");
    for (size_t i = 0; (v = verb_at(i)); i++) {
        printf("complete -c caucus -n __fish_use_subcommand -f -a %s -d '", v->name);
        print_quoted(v->summary, "\\'", "\\");
        puts("'");
        if (v->words)
            printf("complete -c caucus -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", v->name,
                   v->words);
        for (size_t k = 0; (row = caucus_option_at(v->name, k)); k++) fish_option(v, row);
    }
}

int cmd_completion(const request *r)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(r->operand[0], shells[i].name) == 0) {
            shells[i].print();
            return DONE;
        }
    return misused("there is no completion for '%s'; take bash, zsh or fish", r->operand[0]);
}
