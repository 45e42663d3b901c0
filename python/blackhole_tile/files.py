# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that a user names, read and written as a whole."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from typing import BinaryIO, Iterator


def read(path: str) -> bytes:
    """Bytes of a file, or of a pipe.  Raises OSError, also for a device, which
    may have no end."""
    with open(path, 'rb') as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, 'a device, not a file', path)
        return file.read()


@contextlib.contextmanager
def write(path: str) -> Iterator[BinaryIO]:
    """A file for its new content: others see the old one until that is whole.
    A pipe or a device is written directly.  Raises OSError."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(path, 'wb') as file:
            yield file
        return
    part = f'{target}.{os.getpid()}'
    try:
        with open(part, 'wb') as file:
            yield file
        os.replace(part, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Others that lock this file wait until this one is done.  The file is
    made, and stays.  Raises OSError."""
    with open(path, 'ab') as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
