# SPDX-License-Identifier: GPL-2.0-or-later
"""The program scripts/view: its command line, and its life."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import sys
import tempfile
import threading
from typing import Any, Dict, Iterator, List, Optional

from .. import run
from ..cli import WRONG_USE, Parser, UseError, error_line, program
from ..errors import TileError
from ..machine import Tile
from .live import Live, Unreachable
from .look import Sources
from .server import listen

TOKEN_BYTES = 24
OUTPUT_SHOWN = 16384                 # bytes
SECONDS_BETWEEN_LOOKS = 1.0
LARGEST_PORT = 65535

DESCRIPTION = """\
Shows a tile live in a browser: harts with their source lines, threads, queues,
who owns what, register files as pictures; with buttons to run, stop and step.
"""
EPILOG = """\
PROGRAM and OPTION are those of scripts/run (scripts/run --help), without what
is about the end of a run: --until, --get, --expect and --timeout count for
nothing.  The machine is stopped before the first instruction until the page
lets it continue.

The address that is printed works in browsers on this host only, and its last
part is a secret: it gives access to the machine.

examples:
  scripts/view examples/add
  scripts/view --go build/firmware/mistakes/semaphore --source tests/firmware
  scripts/view --qmp tile.qmp
"""


def port(text: str) -> int:
    """A number of a port."""
    value = int(text)
    if not 0 <= value <= LARGEST_PORT:
        raise ValueError
    return value


def parser() -> Parser:
    """The options of our own."""
    p = Parser('view', DESCRIPTION, EPILOG,
               usage='--qmp SOCKET | PROGRAM [OPTION]...')
    p.add_argument('--qmp', metavar='SOCKET',
                   help='shows a machine that another program started with '
                        '-qmp unix:SOCKET,server,wait=off')
    p.add_argument('--port', type=port, default=0, metavar='N',
                   help='of 127.0.0.1; any free one by default')
    p.add_argument('--source', metavar='FOLDER', action='append', default=[],
                   help='where source files are whose names in the ELFs are '
                        'relative: searched here, in the folder PROGRAM and '
                        'in the current folder')
    p.add_argument('--go', action='store_true',
                   help='lets the machine run at once')
    return p


class Session:
    """A machine that is shown: the socket, and the Tile if it is our own."""

    def __init__(self, socket: str, tile: Optional[Tile] = None):
        self.socket, self.tile = socket, tile

    def shown(self) -> Dict[str, Any]:
        """What the page shows of it: the last output of firmware and
        emulator, and how the emulator has ended."""
        if not self.tile:
            return {'machine': self.socket}
        start = max(0, os.stat(self.tile.log.name).st_size - OUTPUT_SHOWN)
        status = self.tile.process.poll()
        return {'machine': 'own', 'ended': status,
                'output': self.tile.output_bytes(start).decode('utf-8',
                                                               'replace')}


@contextlib.contextmanager
def own_machine(words: List[str]) -> Iterator[Session]:
    """A machine stopped before what the words of scripts/run name."""
    job = run.parse(words)
    with tempfile.TemporaryDirectory(prefix='tile-') as folder:
        socket = os.path.join(folder, 'qmp')
        job.extra += ['-qmp', f'unix:{socket.replace(",", ",,")},'
                              f'server=on,wait=off']
        with job.tile() as tile:
            run.prepare(job, tile, stopped=True)
            yield Session(socket, tile)


@contextlib.contextmanager
def session_of(options: Any, words: List[str]) -> Iterator[Session]:
    """The machine that the command line names."""
    if options.qmp is None:
        with own_machine(words) as session:
            yield session
        return
    if words or options.go:
        raise UseError(f'{" ".join(words) or "--go"}: --qmp shows a machine '
                       f'that runs something already')
    if not os.path.exists(options.qmp):
        print(f'{program("view")}: {options.qmp}: no socket yet, the page '
              f'waits (QEMU makes it with -qmp unix:{options.qmp},server,'
              f'wait=off)', file=sys.stderr)
    yield Session(options.qmp)


def folders_of(options: Any, words: List[str]) -> List[str]:
    """Where source files are searched."""
    return options.source + [word for word in words if os.path.isdir(word)] + \
        [os.getcwd()]


def begin(session: Session, live: Live) -> None:
    """Lets a machine of our own run; its events are heard from now on."""
    if session.tile:
        with live.tile():
            session.tile.go()


def meanwhile(session: Session, live: Live) -> None:
    """To be called now and then, whether or not a page polls."""
    if session.tile is None:
        live.rest()
        return
    with contextlib.suppress(Unreachable, TileError), live.tile() as tile:
        tile.status()                    # takes the events


def serve(options: Any, words: List[str]) -> None:
    """Until Ctrl-C."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    with session_of(options, words) as session:
        live = Live(session.socket)
        sources = Sources(folders_of(options, words))
        server = listen(live, sources, token, options.port, session.shown)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            if options.go:
                begin(session, live)
            print(f'http://127.0.0.1:{server.port}/#{token}\n'
                  f'{program("view")}: open this address in a browser; '
                  f'Ctrl-C ends it',
                  flush=True)
            while True:
                thread.join(SECONDS_BETWEEN_LOOKS)
                meanwhile(session, live)
        finally:
            server.shutdown()
            server.server_close()
            live.close()


def main(words: List[str]) -> int:
    """Exit status."""
    options, others = parser().parse_known_args(words)
    try:
        serve(options, others)
    except KeyboardInterrupt:
        return 0
    except (*run.WRONG_USE, TileError, Unreachable, OSError) as error:
        print(error_line('view', error), file=sys.stderr)
    return WRONG_USE


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, run.terminate)
    signal.signal(signal.SIGHUP, run.terminate)      # the terminal closes
    sys.exit(main(sys.argv[1:]))
