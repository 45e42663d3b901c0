# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that a user names, read as a whole."""

from __future__ import annotations

import errno
import os
import stat


def read(path: str) -> bytes:
    """Bytes of a file, or of a pipe.  Raises OSError, also for a device, which
    may have no end."""
    with open(path, 'rb') as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, 'a device, not a file', path)
        return file.read()
