#include "view.h"

#include <string.h>

enum { COLUMNS = 100 };

const char *ftc_view_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

void ftc_view_wrapped(const char *text, int indent)
{
    int column = printf("%*s", indent, "");
    const char *separator = "";

    while (*(text += strspn(text, " ")) != '\0') {
        int length = (int)strcspn(text, " ");

        if (column + 1 + length > COLUMNS && *separator) {
            column = printf("\n%*s", indent, "") - 1;
            separator = "";
        }
        column += printf("%s%.*s", separator, length, text);
        separator = " ";
        text += length;
    }
    putchar('\n');
}
