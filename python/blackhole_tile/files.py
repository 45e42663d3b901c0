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


def is_replaced(path: str) -> bool:
    """Is a file that is written a new one in its place?  Not what cannot be
    written, and no link, which /dev/stdout is, no pipe and no device."""
    return not os.path.lexists(path) or (
        os.path.isfile(path) and not os.path.islink(path) and
        os.access(path, os.W_OK))


@contextlib.contextmanager
def write(path: str) -> Iterator[BinaryIO]:
    """A file for its new content: others see the old one until that is whole.
    Links, pipes and devices are written directly.  Raises OSError."""
    if not is_replaced(path):
        with open(path, 'wb') as file:
            yield file
        return
    part = f'{path}.{os.getpid()}'
    try:
        with open(part, 'wb') as file:
            yield file
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)


@contextlib.contextmanager
def locked(folder: str) -> Iterator[None]:
    """Others that lock this folder wait until this one is done; a file system
    may have no such locks.  Raises OSError if there is no folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
