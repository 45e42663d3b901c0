/*
 * Files that a user names: read as a whole, if they are regular ones.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_TENSTORRENT_TENSIX_FILE_H
#define HW_TENSTORRENT_TENSIX_FILE_H

/*
 * The contents, to be freed, with a 0 after their `*size` bytes.  `st`, if it is
 * not NULL, becomes the status of what was read.  NULL with errp set if it is no
 * regular file, or has more than `most` bytes.  Never waits for another process.
 */
gchar *tensix_file_read(const char *file, uint64_t most, struct stat *st,
                        size_t *size, Error **errp);

#endif
