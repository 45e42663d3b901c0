# SPDX-License-Identifier: GPL-2.0-or-later
"""HTTP for one page on this host: permitted clients, and what is answered.

    GET  /, /view.js, /view.css      the page
    GET  /api/state                  look.everything(), and session()
    GET  /api/registers?name=dest&format=bf16&bank=0
    POST /api/act                    {"action": ...}, see act.py

The server listens on 127.0.0.1 alone, where every program of this host and
every page in a browser can still send something.  So a request must name
this server in Host (a name that an attacker's DNS turned to 127.0.0.1 is
another one) and, if there is an Origin, there; and all below /api must bring
the token, which only the address that was printed has.  A header of our own
carries it, which no other page may send.

An error is {"error": text} with status 400 (a wrong request), 403 (not
allowed), 409 (the machine refuses) or 503 (the machine does not answer).
"""

from __future__ import annotations

import hmac
import json
import os
import socketserver
import sys
import threading
import urllib.parse
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, NoReturn, Tuple

from ..cli import UseError, error_line
from ..errors import TileError
from .act import act
from .live import Live, Unreachable
from .look import Sources, everything, register_file

ADDRESS = '127.0.0.1'
TOKEN_HEADER = 'X-Tile-Token'
PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'page')
FILES = {'/': ('index.html', 'text/html; charset=utf-8'),
         '/view.js': ('view.js', 'text/javascript; charset=utf-8'),
         '/pictures.js': ('pictures.js', 'text/javascript; charset=utf-8'),
         '/view.css': ('view.css', 'text/css; charset=utf-8')}
HEADERS = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
}
LARGEST_REQUEST = 4096               # bytes of a body
QUERY_FIELDS = 8
SECONDS = 10                         # for a request to arrive
MOST_CLIENTS = 32


class Refused(Exception):
    """A request that is answered by a status and a text."""

    def __init__(self, status: HTTPStatus, reason: str):
        super().__init__(reason)
        self.status = status


class Server(ThreadingHTTPServer):
    """Serves a machine.  session(): what else the page shows of it, as JSON
    takes it.  port 0: any that is free."""

    daemon_threads = True            # a client that hangs blocks no client

    def __init__(self, live: Live, sources: Sources, token: str, port: int,
                 session: Callable[[], Dict[str, Any]]):
        self.live, self.sources, self.session = live, sources, session
        self.token = token.encode('ascii')
        self.clients = threading.BoundedSemaphore(MOST_CLIENTS)
        super().__init__((ADDRESS, port), Handler)
        self.port = self.server_address[1]
        self.hosts = tuple(f'{name}:{self.port}'
                           for name in (ADDRESS, 'localhost'))

    def server_bind(self) -> None:
        """Without a look-up of this host's name, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def process_request(self, request: Any, client_address: Any) -> None:
        """A thread for each client, but not for any number of them."""
        if not self.clients.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any,
                               client_address: Any) -> None:
        """As of ThreadingMixIn."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.clients.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error; others are one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            print(error_line('view', repr(error)), file=sys.stderr)


class Handler(BaseHTTPRequestHandler):
    """One client."""

    server: Server
    protocol_version = 'HTTP/1.1'
    server_version, sys_version = 'blackhole-tile', ''
    timeout = SECONDS

    # --- permitted clients ---

    def check_sender(self) -> None:
        """Raises Refused for a request to another name, or from elsewhere."""
        hosts = self.headers.get_all('Host', [])
        if len(hosts) != 1 or hosts[0] not in self.server.hosts:
            raise Refused(HTTPStatus.FORBIDDEN,
                          'Host does not name this server')
        for origin in self.headers.get_all('Origin', []):
            if origin not in [f'http://{host}' for host in self.server.hosts]:
                raise Refused(HTTPStatus.FORBIDDEN,
                              'Origin is another page than ours')

    def check_token(self) -> None:
        """Raises Refused for a request without the token."""
        token = self.headers.get(TOKEN_HEADER, '')
        if not hmac.compare_digest(token.encode('utf-8', 'replace'),
                                   self.server.token):
            raise Refused(HTTPStatus.FORBIDDEN, 'wrong token: open the '
                          'address that was printed')

    # --- answers ---

    def answer(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        """Sends an answer."""
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(data)))
        if self.close_connection:
            self.send_header('Connection', 'close')
        self.end_headers()
        self.wfile.write(data)

    def answer_json(self, status: HTTPStatus, value: Any) -> None:
        """The same."""
        self.answer(status, 'application/json',
                    json.dumps(value, allow_nan=False).encode('utf-8'))

    def serve(self, function: Callable[[], Tuple[HTTPStatus, Any]]) -> None:
        """Answers with what a function returns, or with its error."""
        try:
            self.check_sender()
            status, value = function()
        except Refused as error:
            status, value = error.status, error
        except UseError as error:
            status, value = HTTPStatus.BAD_REQUEST, error
        except TileError as error:
            status, value = HTTPStatus.CONFLICT, error
        except Unreachable as error:
            status, value = HTTPStatus.SERVICE_UNAVAILABLE, error
        except Exception as error:       # pylint: disable=broad-except
            print(error_line('view', f'{self.path[:80]!r}: {error!r}'),
                  file=sys.stderr)
            status, value = HTTPStatus.INTERNAL_SERVER_ERROR, error
        if isinstance(value, tuple):
            self.answer(status, *value)
            return
        if isinstance(value, Exception):
            value = {'error': str(value).rstrip() or repr(value)}
            if status == HTTPStatus.SERVICE_UNAVAILABLE:
                value.update(self.server.session())
        self.answer_json(status, value)

    # --- GET ---

    def state(self, _: Dict[str, str]) -> Any:
        """All but the register files."""
        with self.server.live.tile() as tile:
            found = everything(tile, self.server.sources)
        return dict(found, events=list(self.server.live.events),
                    **self.server.session())

    def registers(self, query: Dict[str, str]) -> Any:
        """A register file."""
        with self.server.live.tile() as tile:
            return register_file(tile, query.get('name', ''),
                                 query.get('format'), query.get('bank', '0'))

    def got(self) -> Tuple[HTTPStatus, Any]:
        """The answer to a GET."""
        path, _, text = self.path.partition('?')
        if path in FILES:
            name, kind = FILES[path]
            with open(os.path.join(PAGE, name), 'rb') as file:
                return HTTPStatus.OK, (kind, file.read())
        routes = {'/api/state': self.state, '/api/registers': self.registers}
        if path not in routes:
            raise Refused(HTTPStatus.NOT_FOUND, 'there is no such page')
        self.check_token()
        try:
            query = dict(urllib.parse.parse_qsl(
                text, max_num_fields=QUERY_FIELDS))
        except ValueError as error:
            raise UseError(f'the query is none: {error}') from None
        return HTTPStatus.OK, routes[path](query)

    def do_GET(self) -> None:            # pylint: disable=invalid-name
        """A part of the page, or of the machine."""
        self.serve(self.got)

    # --- POST ---

    def body(self) -> Any:
        """The object that came with a request.  Raises UseError."""
        length = self.headers.get('Content-Length', '')
        if self.headers.get('Transfer-Encoding') or \
                not (length.isascii() and length.isdigit()) or \
                int(length[:9]) > LARGEST_REQUEST:
            raise UseError(f'the body needs a Content-Length of at most '
                           f'{LARGEST_REQUEST}')
        try:
            request = json.loads(self.rfile.read(int(length)))
        except TimeoutError:
            raise UseError('the body did not come') from None
        except (ValueError, RecursionError):
            raise UseError('the body is no JSON') from None
        if not isinstance(request, dict):
            raise UseError('the body is no object')
        return request

    def posted(self) -> Tuple[HTTPStatus, Any]:
        """The answer to a POST."""
        if self.path != '/api/act':
            raise Refused(HTTPStatus.NOT_FOUND, 'there is no such page')
        self.check_token()
        request = self.body()
        with self.server.live.tile() as tile:
            return HTTPStatus.OK, {'said': act(tile, request)}

    def do_POST(self) -> None:           # pylint: disable=invalid-name
        """A button.  The connection ends, for an error may leave a body."""
        self.close_connection = True
        self.serve(self.posted)

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""
        # pylint: disable=redefined-builtin

    def send_error(self, code: int, message: Any = None,
                   explain: Any = None) -> None:
        """What http.server refuses, in our words."""
        self.close_connection = True
        self.answer_json(HTTPStatus(code), {'error': HTTPStatus(code).phrase})


def listen(live: Live, sources: Sources, token: str, port: int,
           session: Callable[[], Dict[str, Any]]) -> Server:
    """A server that listens.  Raises UseError if the port is taken."""
    try:
        return Server(live, sources, token, port, session)
    except OSError as error:
        refuse_port(port, error)


def refuse_port(port: int, error: OSError) -> NoReturn:
    """The error that says so."""
    raise UseError(f'port {port}: {error.strerror}') from None
