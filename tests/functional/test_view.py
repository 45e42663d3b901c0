# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/view: who may ask what, what the page receives, what its buttons do,
and machines that end, freeze, or become others meanwhile."""

import contextlib
import http.client
import io
import json
import os
import signal
import socket
import struct
import threading
import time
import unittest
from unittest import mock

import rv_asm as rv
from blackhole_tile import ACCELERATORS, APERTURE, HARTS
from blackhole_tile.attach import Attached
from blackhole_tile.snapshots import add_disk, wait_for_job
from blackhole_tile.testing import ROOT, images
from blackhole_tile.view import act, live, look, server, stepping
from blackhole_tile.view.look import Sources
from test_board import Folder

SOURCES = os.path.join(ROOT, 'tests', 'firmware')
TOKEN = 'the-token'
SECONDS = 30
TRISC2, SHORT, PATIENCE = 4, 1.0, 3.0
DEST_VALID = APERTURE + 0x8000
DEST_BF16 = (0x007f, 0x40ff, 0xffff, 0x00ff)       # 1, -1.5, nan, -1 as stored


def qmp_option(path):
    """What opens another QMP socket."""
    return ['-qmp', f'unix:{path.replace(",", ",,")},server=on,wait=off']


def in_time(function, wanted=True, seconds=SECONDS):
    """Waits until function() is what is wanted, and returns it."""
    end = time.monotonic() + seconds
    while True:
        found = function()
        if wanted(found) if callable(wanted) else found == wanted:
            return found
        if time.monotonic() > end:
            raise AssertionError(f'still {found} after {seconds} s')
        time.sleep(0.05)


def kind_of(waiting):
    """What a hart or a gate waits for, or None."""
    return (waiting.get('wait') or {}).get('kind')


class Client:
    """What a browser would send to a server at a port, with a token."""

    def __init__(self, port, token=TOKEN):
        self.port, self.token = port, token

    def headers(self):
        return {'X-Tile-Token': self.token}

    def send(self, method, path, body=None, headers=None):
        """(status, headers, body)"""
        link = http.client.HTTPConnection('127.0.0.1', self.port,
                                          timeout=SECONDS)
        with contextlib.closing(link):
            link.request(method, path, body,
                         self.headers() if headers is None else headers)
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()

    def raw(self, data):
        """The first line and the rest of the answer to these bytes."""
        with socket.create_connection(('127.0.0.1', self.port),
                                      timeout=SECONDS) as link:
            link.sendall(data)
            answer = b''.join(iter(lambda: link.recv(65536), b''))
        return answer.decode('utf-8', 'replace').partition('\r\n')[::2]

    def get(self, path):
        status, _, body = self.send('GET', path)
        return status, json.loads(body)

    def state(self):
        status, answer = self.get('/api/state')
        if status != 200:
            raise AssertionError(answer)
        return answer

    def hart(self, name):
        return {h['hart']: h for h in self.state()['harts']}[name]

    def pcs(self):
        return {h['hart']: h['pc'] for h in self.state()['harts']}

    def act(self, action, **request):
        """(status, answer) of a button."""
        status, _, body = self.send('POST', '/api/act', json.dumps(
            dict(request, action=action)))
        return status, json.loads(body)

    def does(self, action, **request):
        status, answer = self.act(action, **request)
        if status != 200:
            raise AssertionError(answer)
        return answer['said']


class Served(Folder):
    """A stopped machine, and a server for it in this process."""

    seconds = 5.0

    def setUp(self):
        super().setUp()
        self.socket = os.path.join(self.folder, 'q,mp')
        self.machine = self.begin()
        self.live = live.Live(self.socket, self.seconds)
        self.server = server.listen(self.live, Sources([SOURCES]), TOKEN, 0,
                                    lambda: {'machine': 'tested'})
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        for last in (self.live.close, self.server.server_close, thread.join,
                     self.server.shutdown):
            self.addCleanup(last)
        self.client = Client(self.server.port)
        redirect = contextlib.redirect_stderr(io.StringIO())
        self.said = redirect.__enter__()
        self.addCleanup(redirect.__exit__, None, None, None)

    def begin(self, **options):
        return self.tile(images=images('mistakes/semaphore'), stopped=True,
                         extra=qmp_option(self.socket), **options)

    def every_accelerator(self):
        """A machine with each, one after the other."""
        for accel in ACCELERATORS:
            self.machine.close()
            self.machine = self.begin(accel=accel)
            in_time(lambda: self.client.get('/api/state')[0], 200)
            with self.subTest(accel):
                yield accel

    def run_until_it_waits(self):
        """The state in which TRISC2 and its thread wait, for good."""
        def waits(state):
            hart, thread = state['harts'][TRISC2], state['threads'][2]
            return (thread['state'] == 'waiting' and
                    kind_of(thread['gate']) == 'semwait' and
                    kind_of(hart) == 'cop-done')

        self.client.does('cont')
        return in_time(self.client.state, waits)


class Requests(Served):
    def test_page(self):
        for path in ('/', '/view.js', '/pictures.js', '/view.css'):
            status, headers, body = self.client.send('GET', path, headers={})
            self.assertEqual((status, bool(body)), (200, True), path)
            policy = headers['Content-Security-Policy']
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn('unsafe', policy)
            self.assertEqual(headers['X-Content-Type-Options'], 'nosniff')
            self.assertNotIn(TOKEN.encode(), body)

    def test_page_makes_no_html_of_text(self):
        """Names in ELFs and the machine's texts are anybody's."""
        for name in os.listdir(server.PAGE):
            with open(os.path.join(server.PAGE, name),
                      encoding='utf-8') as file:
                text = file.read()
            self.assertNotRegex(text, r'innerHTML|outerHTML|insertAdjacent|'
                                      r'document\.write|\beval\b|\son\w+=')
            self.assertNotRegex(text, r'<script(?! src=")|<style|https?://')

    def test_who_has_access(self):
        own = f'127.0.0.1:{self.server.port}'
        token = {'X-Tile-Token': TOKEN}
        stopped = 'prelaunch'
        for status, headers in (
                (200, token),
                (200, {**token, 'Host': f'localhost:{self.server.port}'}),
                (200, {**token, 'Origin': f'http://{own}'}),
                (403, {}),
                (403, {'X-Tile-Token': TOKEN[:-1]}),
                (403, {'X-Tile-Token': TOKEN + 'x'}),
                (403, {'X-Tile-Token': '\xe9'}),
                (403, {**token, 'Host': f'evil.example:{self.server.port}'}),
                (403, {**token, 'Host': '127.0.0.1'}),
                (403, {**token, 'Host': f'127.0.0.1:{self.server.port}.x'}),
                (403, {**token, 'Origin': 'http://evil.example'}),
                (403, {**token, 'Origin': 'null'}),
                (403, {**token, 'Origin': f'https://{own}'})):
            for method, path, body in (
                    ('GET', '/api/state', None),
                    ('GET', '/api/registers?name=dest', None),
                    ('POST', '/api/act', '{"action": "cont"}')):
                with self.subTest(headers=headers, path=path):
                    got, _, answer = self.client.send(method, path, body,
                                                      headers)
                    self.assertEqual(got, status, answer)
                    self.assertEqual(self.machine.status(), 'running' if
                                     (status, method) == (200, 'POST')
                                     else stopped)
            if status == 200:
                self.machine.stop()
                stopped = 'paused'

    def test_host_of_another_name_gets_no_page_either(self):
        for host in ('evil.example', ''):
            status, _, _ = self.client.send('GET', '/',
                                            headers={'Host': host})
            self.assertEqual(status, 403)
        first, _ = self.client.raw(b'GET / HTTP/1.0\r\n\r\n')
        self.assertIn('403', first)

    def test_wrong_requests(self):
        head = f'Host: 127.0.0.1:{self.server.port}\r\n' \
               f'X-Tile-Token: {TOKEN}\r\nConnection: close\r\n'
        post = 'POST /api/act HTTP/1.1\r\n' + head
        deep = '[' * 4000
        long = json.dumps({'action': 'cont', 'more': 'x' * 4096})
        for status, text in (
                (404, f'GET /api HTTP/1.1\r\n{head}\r\n'),
                (404, f'GET /../server.py HTTP/1.1\r\n{head}\r\n'),
                (404, f'POST / HTTP/1.1\r\n{head}Content-Length: 0\r\n\r\n'),
                (501, f'PUT /api/act HTTP/1.1\r\n{head}\r\n'),
                (501, f'OPTIONS /api/act HTTP/1.1\r\n{head}\r\n'),
                (414, 'GET /' + 'x' * 70000 + f' HTTP/1.1\r\n{head}\r\n'),
                (431, f'GET / HTTP/1.1\r\n{head}' +
                 ''.join(f'a{n}: b\r\n' for n in range(200)) + '\r\n'),
                (400, 'GET /api/state?' + '&'.join('a=b' for _ in range(99)) +
                 f' HTTP/1.1\r\n{head}\r\n'),
                (400, f'{post}\r\n{{}}'),
                (400, f'{post}Content-Length: -1\r\n\r\n{{}}'),
                (400, f'{post}Content-Length: {len(long)}\r\n\r\n{long}'),
                (400, f'{post}Content-Length: {"9" * 5000}\r\n\r\n{{}}'),
                (400, f'{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}'),
                (400, f'{post}Content-Length: 2\r\n\r\n[]'),
                (400, f'{post}Content-Length: 2\r\n\r\n{{x'),
                (400, f'{post}Content-Length: {len(deep)}\r\n\r\n{deep}')):
            with self.subTest(text=text[:60]):
                first, rest = self.client.raw(text.encode('latin-1'))
                self.assertIn(f' {status} ', first + ' ', rest[:300])
                self.assertRegex(rest, r'\{"error": ".+"\}$')
                self.assertNotIn('Traceback', rest)
        self.assertEqual(self.client.state()['status'], 'prelaunch')
        self.assertEqual(self.said.getvalue(), '')

    def test_what_is_no_http(self):
        for text in ('GET\r\n\r\n', '\x16\x03\x01 x y z\r\n\r\n',
                     'GET / HTTP/x\r\n\r\n', 'GET / HTTP/7.0\r\n\r\n'):
            self.assertRegex(''.join(self.client.raw(text.encode())),
                             r'^\{"error": ".+"\}$')
        self.assertEqual(self.said.getvalue(), '')

    def test_wrong_members(self):
        for query in ('', 'name=nothing', 'name=dest&format=bf17',
                      'name=srca&bank=2', 'name=srca&bank=-1',
                      'name=lregs&format=bf16', 'name=srcb&bank=x',
                      'name=state'):
            status, answer = self.client.get(f'/api/registers?{query}')
            self.assertIn(status, (400, 409), query)
            self.assertTrue(answer['error'])
        for request in ({'action': None}, {'action': ['cont']},
                        {'action': 'quit'}, {'action': 'step-hart'},
                        {'action': 'step-hart', 'hart': 'brisc'},
                        {'action': 'step-hart', 'hart': 'brisc',
                         'unit': ['line']},
                        {'action': 'step-thread', 'thread': True},
                        {'action': 'step-thread', 'thread': 3},
                        {'action': 'step-thread', 'thread': 1.0},
                        {'action': 'break', 'what': ''},
                        {'action': 'break', 'what': 'x' * 201},
                        {'action': 'break', 'what': 'a\nb'},
                        {'action': 'break', 'what': 7},
                        {'action': 'break', 'what': 'NOSUCH'},
                        {'action': 'watch', 'what': 'dest 99999'},
                        {'action': 'delete'}, {'action': 'delete', 'id': 0},
                        {'action': 'delete', 'id': 1 << 40},
                        {'action': 'delete', 'id': 5}):
            with self.subTest(request=request):
                status, answer = self.client.act(**request)
                self.assertIn(status, (400, 409))
                self.assertTrue(answer['error'])
        self.assertEqual(self.client.state()['stops'], [])

    def test_clients_that_send_nothing(self):
        """They block none, up to a number, beyond which there is no thread
        for anybody until they have been silent for too long."""
        idle = contextlib.ExitStack()
        self.addCleanup(idle.close)

        def connect():
            idle.enter_context(socket.create_connection(
                ('127.0.0.1', self.server.port)))

        def refused_with_one_more():
            connect()                    # the last client may still be connected
            return self.refused()

        for _ in range(server.MOST_CLIENTS - 1):
            connect()
        self.assertFalse(self.refused())
        in_time(refused_with_one_more)
        in_time(lambda: not self.refused())

    def refused(self):
        try:
            return self.client.send('GET', '/')[0] != 200
        except OSError:
            return True

    def test_other_addresses_of_this_host(self):
        self.assertEqual(self.server.server_address[0], '127.0.0.1')
        with self.assertRaises(OSError):
            socket.create_connection(('127.0.0.2', self.server.port), 1)

    def test_port_that_is_taken(self):
        with self.assertRaisesRegex(server.UseError, 'port .* in use'):
            server.listen(self.live, Sources([]), TOKEN, self.server.port,
                          dict)


class Looking(Served):
    def test_kernel_that_waits(self):
        state = self.run_until_it_waits()
        self.assertEqual(state['status'], 'running')
        self.assertEqual([hart['hart'] for hart in state['harts']],
                         list(HARTS))
        hart = state['harts'][TRISC2]
        self.assertEqual(hart['wait']['kind'], 'cop-done')
        inner, outer = hart['frames'][:2]
        self.assertEqual((inner['function'], outer['function']),
                         ('wait_coprocessor', 'main'))
        self.assert_lines(inner, 'COPROCESSOR_DONE')
        self.assert_lines(outer, 'wait_coprocessor();')
        thread = state['threads'][2]
        self.assertEqual(thread['state'], 'waiting')
        self.assertEqual(thread['gate']['wait']['kind'], 'semwait')
        insn = thread['gate']['instruction']
        self.assertEqual(insn['mnemonic'], 'SEMGET')
        self.assertEqual(insn['frames'][0]['function'], 'main')
        events = in_time(lambda: self.client.state()['events'], bool)
        self.assertEqual(events[0]['event'], 'TENSIX_DEADLOCK')

    def assert_lines(self, frame, text):
        """The line of a frame is the file's, and says that."""
        with open(os.path.join(SOURCES, frame['file']),
                  encoding='utf-8') as file:
            lines = file.read().splitlines()
        near = {line['number']: line['text'] for line in frame['near']}
        self.assertIn(text, near[frame['line']])
        self.assertEqual(near, {n: lines[n - 1] for n in near})
        self.assertEqual(min(near), frame['line'] - 4)

    def test_files_that_are_none(self):
        sources = Sources([self.folder])
        path = self.file('a.c', b'one\n\xff\ntwo\n')
        self.assertEqual([line['number'] for line in sources.near('a.c', 3)],
                         [1, 2, 3])
        self.assertEqual(sources.near(path, 1)[0]['text'], 'one')
        os.mkfifo(os.path.join(self.folder, 'pipe'))
        with open(os.path.join(self.folder, 'huge'), 'wb') as file:
            file.truncate(5 << 20)
        for name, line in (('a.c', 0), ('a.c', 4), ('none.c', 1), ('.', 1),
                           ('pipe', 1), ('huge', 1), ('a\0b', 1),
                           ('x' * 9999, 1), ('/dev/zero', 1),
                           ('/proc/self/status', 1)):
            self.assertEqual(sources.near(name, line), [], name)
        self.file('a.c', b'another\n')
        self.assertEqual(sources.near('a.c', 1)[0]['text'], 'another')

    def test_register_files(self):
        self.machine.write(APERTURE + 32 * 5, struct.pack('<4H', *DEST_BF16))
        self.machine.write8(DEST_VALID + 6, 0)
        status, dest = self.client.get('/api/registers?name=dest&format=bf16')
        self.assertEqual((status, dest['rows'], dest['columns'],
                          dest['format']), (200, 1024, 16, 'bf16'))
        at = slice(5 * 16, 5 * 16 + 4)
        self.assertEqual(dest['cells'][at], list(DEST_BF16))
        self.assertEqual(dest['valid'][5:8], [1, 0, 1])
        for path, found in (
                ('name=dest&format=bf16', self.machine.state.dest(form='bf16')),
                ('name=dest&format=fp32', self.machine.state.dest(form='fp32')),
                ('name=srca&bank=1', self.machine.state.src('srca', 1)),
                ('name=srcb', self.machine.state.src('srcb', 0)),
                ('name=lregs&format=fp32', self.machine.state.lregs('fp32'))):
            status, got = self.client.get(f'/api/registers?{path}')
            self.assertEqual(status, 200)
            self.assertEqual(got['values'],
                             [x for row in found.rows for x in row.values])
            self.assertEqual(got['valid'], [row.valid is not False
                                            for row in found.rows])
            self.assertEqual(got['owner'], found.owner)
        self.assertEqual(dest['values'][5 * 16], 1)
        self.assertIn('nan', dest['values'][at])

    def test_more_violations_than_are_shown(self):
        site = {'hart': 'none', 'pc': 0, 'count': 1}
        found = look.violations_shown({'total': 99, 'sites': [site] * 60},
                                      look.Places(None, Sources([])))
        self.assertEqual((len(found['sites']), found['more'], found['total']),
                         (50, 10, 99))

    def test_violations_with_their_places(self):
        elf = self.elf('v.elf', {0x8000: [rv.ttinsn(0x06000000), rv.jump(0)]},
                       0x8000)
        self.machine.close()
        self.machine = self.tile(images={'trisc0': elf}, extra=qmp_option(self.socket))
        found = in_time(lambda: self.client.state()['violations'],
                        lambda v: v['total'])
        site = found['sites'][0]
        self.assertEqual((site['hart'], site['pc'], site['count']),
                         ('trisc0', 0x8000, 1))


class Buttons(Served):
    def setUp(self):
        super().setUp()
        # so that a slow machine does what a fast one does
        for module, name, seconds in (
                (stepping, 'STEP_SECONDS', PATIENCE),
                (act, 'LINE_SECONDS', SECONDS)):
            patch = mock.patch.object(module, name, seconds)
            patch.start()
            self.addCleanup(patch.stop)

    def test_run_and_stop(self):
        self.assertEqual(self.client.state()['status'], 'prelaunch')
        self.client.does('cont')
        self.assertEqual(self.client.state()['status'], 'running')
        self.client.does('cont')
        self.client.does('stop')
        self.assertEqual(self.machine.status(), 'paused')

    def test_step_of_a_hart(self):
        """The others are stopped; no gdb server remains."""
        for _ in self.every_accelerator():
            self.step_instructions()

    def step_instructions(self):
        before = self.client.pcs()
        for number in range(1, 6):
            self.assertEqual(self.client.does(
                'step-hart', hart='trisc2', unit='instruction'), '')
            now = self.client.pcs()
            self.assertNotEqual(now['trisc2'], before['trisc2'], number)
            self.assertEqual({**now, 'trisc2': 0}, {**before, 'trisc2': 0})
            before = now
        self.assertNotEqual(self.machine.status(), 'running')
        self.assertEqual([device['label'] for device in
                          self.machine.qmp('query-chardev')
                          if device['label'] == 'gdb'], [])

    def test_step_of_a_line(self):
        """Until main, then line by line."""
        lines = []
        for _ in range(40):
            self.client.does('step-hart', hart='trisc2', unit='line')
            frames = self.client.hart('trisc2')['frames']
            lines.append((frames[0]['file'], frames[0]['line']))
            if frames[-1]['function'] == 'main' and len(frames) > 1:
                break
        else:
            self.fail(lines)
        self.assertTrue(all(a != b for a, b in zip(lines, lines[1:])), lines)

    def test_step_of_a_machine_that_waits_for_its_state(self):
        self.machine.close()
        self.machine = self.tile(stopped=True, extra=[
            '-incoming', 'defer', *qmp_option(self.socket)])
        in_time(lambda: self.client.get('/api/state')[0], 200)
        for request in ({'action': 'step-thread', 'thread': 0},
                        {'action': 'step-hart', 'hart': 'brisc',
                         'unit': 'line'}):
            status, answer = self.client.act(**request)
            self.assertEqual(status, 409)
            self.assertIn('in the state inmigrate', answer['error'])
        self.assertEqual(self.client.state()['status'], 'inmigrate')

    def test_step_of_a_hart_that_waits(self):
        self.run_until_it_waits()
        pcs = self.client.pcs()
        for hart, text in (('trisc2', 'thread 2 to finish'),
                           ('brisc', 'release from reset')):
            said = self.client.does('step-hart', hart=hart,
                                    unit='instruction')
            self.assertRegex(said, f'{hart} waits for {text}, and all others')
        self.assertEqual(self.client.pcs()['trisc2'], pcs['trisc2'])

    def test_step_into_a_wait(self):
        """An instruction that begins to wait while all others are stopped."""
        for _ in self.every_accelerator():
            self.step_into_wait()

    def step_into_wait(self):
        said = ''
        for _ in range(60):
            said = self.client.does('step-hart', hart='trisc2', unit='line')
            if said:
                break
        self.assertIn('trisc2 waits for thread 2 to finish', said)
        self.assertEqual(self.client.hart('trisc2')['state'], 'waiting')
        self.client.does('cont')
        in_time(lambda: kind_of(self.client.hart('trisc2')), 'cop-done')

    def test_step_of_a_thread(self):
        for _ in self.every_accelerator():
            self.step_thread()

    def step_thread(self):
        seen = []
        for _ in range(2):
            with mock.patch.object(act, 'STEP_SECONDS', SECONDS):
                self.assertEqual(self.client.does('step-thread', thread=2), '')
            state = self.client.state()
            self.assertEqual((state['status'], state['stops']), ('debug', []))
            seen.append(state['threads'][2]['gate']['instruction'])
        self.assertEqual([insn['mnemonic'] for insn in seen],
                         ['SEMINIT', 'SEMWAIT'])
        said = self.client.does('step-thread', thread=2)
        self.assertRegex(said, 'thread 2 has executed nothing within 1 s: it '
                               'waits for SEMWAIT until MATH_PACK')
        self.assertEqual(self.client.state()['stops'], [])

    def test_breaks_and_watches(self):
        self.assertEqual(self.client.does('break', what='SEMWAIT thread 2'),
                         '1: break SEMWAIT thread 2')
        self.client.does('watch', what='semaphore 1')
        self.assertEqual([stop['what'] for stop in
                          self.client.state()['stops']],
                         ['break SEMWAIT thread 2', 'watch semaphore 1'])
        self.client.does('cont')
        in_time(lambda: self.client.state()['status'], 'debug')
        self.assertIn('watch 2: semaphore 1', self.machine.output())
        self.client.does('delete', id=2)
        self.client.does('cont')
        in_time(lambda: self.client.state()['status'], 'debug')
        insn = self.client.state()['threads'][2]['gate']['instruction']
        self.assertEqual(insn['mnemonic'], 'SEMWAIT')
        self.client.does('delete', id=1)
        self.assertEqual(self.client.state()['stops'], [])

    def test_another_gdb_is_left_alone(self):
        self.machine.hmp(f'gdbserver unix:{self.folder}/gdb,server=on,wait=off')
        status, answer = self.client.act('step-hart', hart='trisc2',
                                         unit='instruction')
        self.assertEqual(status, 409)
        self.assertIn('gdb server', answer['error'])
        self.assertTrue(any(device['label'] == 'gdb' for device in
                            self.machine.qmp('query-chardev')))


class Machines(Served):
    seconds = SHORT

    def trouble(self, pattern):
        status, answer = self.client.get('/api/state')
        self.assertEqual(status, 503, answer)
        self.assertRegex(answer['error'], pattern)
        self.assertEqual(answer['machine'], 'tested')
        return answer

    def test_one_that_ends_and_another_that_begins(self):
        self.client.state()
        self.machine.close()
        self.trouble('QEMU has ended')
        self.trouble('Connection refused|No such file')
        status, _ = self.client.act('cont')
        self.assertEqual(status, 503)
        self.machine = self.begin()
        self.assertEqual(self.client.state()['status'], 'prelaunch')

    def test_one_that_freezes(self):
        self.client.state()
        self.machine.process.send_signal(signal.SIGSTOP)
        try:
            start = time.monotonic()
            self.trouble('no answer within 1 s')
            self.trouble('no answer within 1 s|unavailable')
            self.assertLess(time.monotonic() - start, 5)
        finally:
            self.machine.process.send_signal(signal.SIGCONT)
        in_time(lambda: self.client.get('/api/state')[0], 200)
        self.assertEqual(self.client.state()['status'], 'prelaunch')

    def test_one_that_is_busy(self):
        with self.live.tile():
            self.trouble('busy with something else')
        self.client.state()

    def test_snapshot_load_meanwhile(self):
        self.run_until_it_waits()
        disk = os.path.join(self.folder, 'disk')
        add_disk(self.machine, disk)
        wanted = self.client.state()['threads']
        self.snapshot('save')
        found, resume = [], True

        def look():
            while resume:
                found.append(self.client.get('/api/state'))
                self.client.get('/api/registers?name=dest')

        looker = threading.Thread(target=look)
        looker.start()
        try:
            while len(found) < 12:
                self.snapshot('load')
        finally:
            resume = False
            looker.join()
        for status, answer in found:
            self.assertIn(status, (200, 503), answer)
        in_time(lambda: self.client.get('/api/state')[0], 200)
        self.assertEqual(self.client.state()['threads'], wanted)

    def snapshot(self, what):
        self.machine.qmp(f'snapshot-{what}', **{
            'job-id': what, 'tag': 'here', 'vmstate': 'disk',
            'devices': ['disk']})
        wait_for_job(self.machine, what)

    def test_what_is_no_machine(self):
        self.machine.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.socket)     # QEMU does unless it is killed
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.socket)
            listener.listen()
            for greeting, text in (
                    (b'', 'no answer within 1 s'),
                    (b'hello\n', 'no QMP: this is not what QMP says'),
                    (b'7\n', 'no QMP: this is not what QMP says'),
                    (b'{}\n', 'no QMP: it does not greet'),
                    (b'\xff\n', 'no QMP: this is not what QMP says'),
                    (b'{"QMP": 1}\n{"return": {}}\n'
                     b'{"id": "another", "return": {}}\n',
                     'no answer within 1 s'),
                    (b'{"QMP": 1}\n7\n', 'no QMP: this is not'),
                    (b'{"QMP": 1}\n{"return": {}}\n{}\n',
                     'no answer within 1 s'),
                    (b'{"QMP": 1}\n{"return": {}}\n[]\n',
                     'this is not what QMP says')):
                thread = threading.Thread(target=self.greet,
                                          args=(listener, greeting))
                thread.start()
                self.trouble(text)
                thread.join()

    def greet(self, listener, greeting):
        link, _ = listener.accept()
        with link:
            link.sendall(greeting)
            link.settimeout(3)
            with contextlib.suppress(OSError):
                while link.recv(4096):
                    pass

    def test_socket_is_left_to_others(self):
        self.client.state()
        self.live.rest()
        self.assertIsNotNone(self.live._tile)
        self.live._used -= live.IDLE_SECONDS
        self.live.rest()
        with Attached(self.socket) as other:
            self.assertEqual(other.status(), 'prelaunch')
            self.trouble('no answer')
        self.client.state()

    def test_events_do_not_pile_up(self):
        for _ in range(50):
            self.client.does('cont')
            self.client.does('stop')
        self.client.state()
        self.assertLess(len(self.live._tile.events), 10)
        self.assertLessEqual(len(self.live.events), live.EVENTS_KEPT)


if __name__ == '__main__':
    unittest.main()
