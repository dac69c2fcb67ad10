/* completion.c - caucus completion: scripts that complete commands, options and choices.
 *
 * Each shell gets one script, made from the tables of commands and options. The value of an option
 * is completed by its kind: a choice from its list, a path as a file, a number or a text not at
 * all. Operands are files, or the words of the command if it has some. */

#include <string.h>

#include "cli.h"

static bool is_path(const caucus_option_info *option)
{
    return option->kind == CAUCUS_OPTION_FILE || option->kind == CAUCUS_OPTION_FILES;
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
static void bash_pattern(const command *c, const caucus_option_info *option)
{
    printf("    '%s --%s'", c->name, option->name);
    if (option->letter) printf("|'%s -%c'", c->name, option->letter);
    fputs(") ", stdout);
}

static void bash_values(const command *c)
{
    const caucus_option_info *option;
    for (size_t i = 0; (option = caucus_option_at(c->name, i)); i++) {
        if (option->kind == CAUCUS_OPTION_FLAG) continue;
        bash_pattern(c, option);
        if (option->kind == CAUCUS_OPTION_CHOICE) {
            fputs("words='", stdout);
            print_list(option->choices);
            puts("' ;;");
        } else if (is_path(option)) {
            puts("files=1 ;;");
        } else {
            puts("return ;;");
        }
    }
}

static void bash_command(const command *c)
{
    const caucus_option_info *option;
    printf("    %s) options='", c->name);
    for (size_t i = 0; (option = caucus_option_at(c->name, i)); i++) {
        if (option->letter) printf("-%c ", option->letter);
        printf("--%s ", option->name);
    }
    if (caucus_option_at(c->name, 0)) fputs("--help-all ", stdout);
    fputs("-h --help' ", stdout);
    if (c->words)
        printf("words='%s' ;;\n", c->words);
    else
        puts("files=1 ;;");
}

static void print_bash(void)
{
    const command *c;
    puts("# bash completion for caucus; written by `caucus completion bash`\n"
         "_caucus()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    local command=${COMP_WORDS[1]} words='' options='' files=''\n"
         "    COMPREPLY=()\n"
         "    # bash takes --name=value for three words\n"
         "    if [[ $cur == '=' ]]; then\n"
         "        cur=''\n"
         "    elif [[ $prev == '=' ]]; then\n"
         "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "    fi\n"
         "    if [[ $COMP_CWORD -eq 1 ]]; then");
    fputs("        words='", stdout);
    for (size_t i = 0; (c = command_at(i)); i++) printf("%s ", c->name);
    puts("--help --version'\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "        return\n"
         "    fi\n"
         "    case \"$command $prev\" in");
    for (size_t i = 0; (c = command_at(i)); i++) bash_values(c);
    puts("    *) case $command in");
    for (size_t i = 0; (c = command_at(i)); i++) bash_command(c);
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
static void zsh_option(const caucus_option_info *option)
{
    bool flag = option->kind == CAUCUS_OPTION_FLAG;
    const char *plus = flag ? "" : "+", *equals = flag ? "" : "=";
    if (option->letter)
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
               option->letter, plus, option->name, equals);
    else
        printf("            '--%s%s[", option->name, equals);
    print_quoted(option->help, "'\\''", "[]\\");
    putchar(']');
    if (!flag) {
        printf(":%s:", option->value);
        if (option->kind == CAUCUS_OPTION_CHOICE) {
            putchar('(');
            print_list(option->choices);
            putchar(')');
        } else if (is_path(option)) {
            fputs("_files", stdout);
        }
    }
    puts("' \\");
}

static void print_zsh(void)
{
    const command *c;
    const caucus_option_info *option;
    puts("#compdef caucus\n"
         "# zsh completion for caucus; written by `caucus completion zsh`\n"
         "_caucus() {\n"
         "    local curcontext=$curcontext state line\n"
         "    typeset -A opt_args\n"
         "    _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)--version[print the "
         "version]' \\\n"
         "        '1: :->command' '*:: :->rest' && return\n"
         "    case $state in\n"
         "    command)\n"
         "        local -a commands=(");
    for (size_t i = 0; (c = command_at(i)); i++) {
        printf("            '%s:", c->name);
        print_quoted(c->summary, "'\\''", ":\\");
        puts("'");
    }
    puts("        )\n"
         "        _describe command commands ;;\n"
         "    rest)\n"
         "        case $words[1] in");
    for (size_t i = 0; (c = command_at(i)); i++) {
        printf("        %s) _arguments -s \\\n", c->name);
        for (size_t k = 0; (option = caucus_option_at(c->name, k)); k++) zsh_option(option);
        fputs("            '(- *)'{-h,--help}'[show help]' ", stdout);
        if (caucus_option_at(c->name, 0)) fputs("'(- *)--help-all[show all options]' ", stdout);
        if (!c->words)
            puts("'*:file:_files' ;;");
        else if (*c->words)
            printf("'1:word:(%s)' ;;\n", c->words);
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

static void fish_option(const command *c, const caucus_option_info *option)
{
    printf("complete -c caucus -n '__fish_seen_subcommand_from %s' -l %s", c->name, option->name);
    if (option->letter) printf(" -s %c", option->letter);
    if (option->kind == CAUCUS_OPTION_CHOICE) {
        fputs(" -x -a '", stdout);
        print_list(option->choices);
        putchar('\'');
    } else if (is_path(option)) {
        fputs(" -r -F", stdout);
    } else if (option->kind != CAUCUS_OPTION_FLAG) {
        fputs(" -x", stdout);
    }
    fputs(" -d '", stdout);
    print_quoted(option->help, "\\'", "\\");
    puts("'");
}

static void print_fish(void)
{
    const command *c;
    const caucus_option_info *option;
    puts("# fish completion for caucus; written by `caucus completion fish`\n"
         "complete -c caucus -n __fish_use_subcommand -l version -d 'print the version'\n"
         "complete -c caucus -s h -l help -d 'show help'\n"
         "complete -c caucus -l help-all -d 'show all options'");
    for (size_t i = 0; (c = command_at(i)); i++) {
        printf("complete -c caucus -n __fish_use_subcommand -f -a %s -d '", c->name);
        print_quoted(c->summary, "\\'", "\\");
        puts("'");
        if (c->words)
            printf("complete -c caucus -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c->name,
                   c->words);
        for (size_t k = 0; (option = caucus_option_at(c->name, k)); k++) fish_option(c, option);
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
