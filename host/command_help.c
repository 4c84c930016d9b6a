/* What the tables of commands say: --help, the man page, and completion by bash. */
#include "host/command.h"
#include "report/emit.h"
#include <stdbool.h>
#include <string.h>

#define COLUMNS 79
#define OPTION  26 /* where the sentences about options begin */

/* ---- --help ---- */

/* Paragraphs, wrapped. `column`: where the line is already, and where the next ones begin. */
static void wrapped(FILE *to, size_t column, const char *text)
{
    size_t at = column;
    bool first = true;
    while (*text) {
        const size_t n = strcspn(text, " \n");
        if (!first && at + 1 + n > COLUMNS) {
            fprintf(to, "\n%*s", (int)column, "");
            at = column;
            first = true;
        }
        at += (size_t)fprintf(to, "%s%.*s", first ? "" : " ", (int)n, text);
        first = false;
        text += n;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(to, "\n\n%*s", (int)column, "");
            at = column;
            first = true;
        }
        text += strspn(text, " \n");
    }
    fputc('\n', to);
}

static void help_option(FILE *to, const struct command_option *o)
{
    char left[64];
    const int n =
        snprintf(left, sizeof left, "  %c%c%c --%s%s%s", o->id < 256 ? '-' : ' ', o->id < 256 ? o->id : ' ',
                 o->id < 256 ? ',' : ' ', o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(to, "%-*s", OPTION, left);
    if (n >= OPTION) fprintf(to, "\n%*s", OPTION, "");
    wrapped(to, OPTION, o->help);
}

static const struct command_option help_itself = {'h', "help", NULL, "show this"};

void command_help(const struct command *c, FILE *to)
{
    fprintf(to, "usage: anechoic %s [OPTION...]%s%s\n\n", c->name, *c->arguments ? " " : "", c->arguments);
    wrapped(to, 0, c->about);
    fputc('\n', to);
    for (const struct command_option *o = c->options; o->id; o++) help_option(to, o);
    help_option(to, &help_itself);
    fputs("\nExit status: ", to);
    wrapped(to, strlen("Exit status: "), c->statuses);
}

/* ---- the man page ---- */

#define SOURCE_COLUMNS 60 /* lines of the page's source end after the word that goes beyond */

/* Text for troff: a dash stays a dash, and no line begins with a dot or an apostrophe. */
static void troff(FILE *to, const char *text)
{
    unsigned column = 0;
    for (bool begins = true; *text; text++, column = begins ? 0 : column + 1) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", to);
            text++;
            begins = true;
            continue;
        }
        if (begins && (*text == '.' || *text == '\'')) fputs("\\&", to);
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", to);
        else
            fputc(*text == ' ' && column > SOURCE_COLUMNS ? '\n' : *text, to);
        begins = *text == '\n' || (*text == ' ' && column > SOURCE_COLUMNS);
    }
    fputc('\n', to);
}

static void man_option(FILE *to, const struct command_option *o)
{
    fputs(".TP\n", to);
    if (o->id < 256) fprintf(to, "\\fB\\-%c\\fR, ", o->id);
    fputs("\\fB\\-\\-", to);
    for (const char *s = o->name; *s; s++) fprintf(to, *s == '-' ? "\\-" : "%c", *s);
    fputs("\\fR", to);
    if (o->value) fprintf(to, " \\fI%s\\fR", o->value);
    fputc('\n', to);
    troff(to, o->help);
}

void command_man(FILE *to)
{
    fprintf(to,
            ".TH ANECHOIC 1 \"\" \"Anechoic %s\" \"User Commands\"\n.SH NAME\n"
            "anechoic \\- work with the results of the Anechoic kernel\n.SH SYNOPSIS\n",
            ANECHOIC_VERSION);
    for (const struct command *const *c = commands; *c; c++)
        fprintf(to, "%s\\fBanechoic %s\\fR [\\fIOPTION\\fR...]%s%s\n", c == commands ? "" : ".br\n",
                (*c)->name, *(*c)->arguments ? " " : "", (*c)->arguments);
    fputs(".SH DESCRIPTION\nThe kernel reports over a serial line or to a file.\nThis program runs it, keeps "
          "what it reports,\nand makes tables, pages and verdicts of it.\n.SH COMMANDS\n",
          to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, ".SS anechoic %s [\\fIOPTION\\fR...]%s%s\n", (*c)->name, *(*c)->arguments ? " " : "",
                (*c)->arguments);
        troff(to, (*c)->about);
        for (const struct command_option *o = (*c)->options; o->id; o++) man_option(to, o);
        man_option(to, &help_itself);
        fputs(".PP\nExit status: ", to);
        troff(to, (*c)->statuses);
    }
}

/* ---- completion ---- */

void command_completion(FILE *to)
{
    fputs("# bash completion for anechoic. Made by: anechoic completion\n_anechoic() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} words=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        words='",
          to);
    for (const struct command *const *c = commands; *c; c++) fprintf(to, "%s ", (*c)->name);
    fputs("--help --version'\n    else\n        case ${COMP_WORDS[1]} in\n", to);
    for (const struct command *const *c = commands; *c; c++) {
        fprintf(to, "        %s) words='", (*c)->name);
        for (const struct command_option *o = (*c)->options; o->id; o++) fprintf(to, "--%s ", o->name);
        fputs("--help' ;;\n", to);
    }
    fputs("        esac\n    fi\n"
          "    [[ $word != -* && $COMP_CWORD -gt 1 ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
          "\"$word\")\n"
          "}\ncomplete -o default -F _anechoic anechoic\n",
          to);
}
