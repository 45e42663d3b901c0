/*
 * Rules for reports that are known and not wanted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A file has a rule a line, "CATEGORY PLACE REASON", and comments, which begin
 * with '#'.  CATEGORY and PLACE are patterns of g_pattern_match_simple(); PLACE matches
 * a report if it matches any word of it: a function, FILE:LINE, a register.
 */

#ifndef HW_TENSTORRENT_TENSIX_SUPPRESS_H
#define HW_TENSTORRENT_TENSIX_SUPPRESS_H

typedef struct TensixSuppress TensixSuppress;

/* NULL, errp set: the file cannot be read, or a line of it is no rule. */
TensixSuppress *tensix_suppress_load(const char *file, Error **errp);
void tensix_suppress_free(TensixSuppress *s);

/* Does a rule match?  The first that does has one more use.  s may be NULL. */
bool tensix_suppress_matches(TensixSuppress *s, const char *category,
                             const char *text);

/* Adds the uses of the same rules, those of another tile. */
void tensix_suppress_add_uses(TensixSuppress *to, const TensixSuppress *from);

/* "FILE:LINE: CATEGORY PLACE" of each rule without a use; to be freed. */
GPtrArray *tensix_suppress_unused(const TensixSuppress *s);

#endif
