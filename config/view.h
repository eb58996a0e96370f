/* view: how JSON becomes text for people. */
#ifndef FTC_CONFIG_VIEW_H
#define FTC_CONFIG_VIEW_H

#include <jansson.h>

/* Of member @key of @object, which is a text; empty if it is none. */
const char *ftc_view_text(const json_t *object, const char *key);

/* A paragraph: the words of @text, in lines that begin with @indent blanks. */
void ftc_view_wrapped(const char *text, int indent);

#endif
