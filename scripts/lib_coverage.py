# SPDX-License-Identifier: GPL-2.0-or-later
"""The stage "coverage" of scripts/check: what the tests reach of the core, of
the rest of the C, and of the Python package.

build/coverage gets a second build, by tests/coverage/gcc, and the stages core,
qtest and functional run there.  The report is build/coverage/html/index.html.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys

from lib_gcov import Tally, by_directory, sources_of
from lib_run import BUILD, ROOT, StageError, log_of, need, progress, run, \
    text_of

FOLDER = os.path.join(BUILD, 'coverage')
SITE, DATA, HTML = (os.path.join(FOLDER, name)
                    for name in ('site', 'python-data', 'html'))
STAGES = ('core', 'qtest', 'functional')
CORE = 'hw/tenstorrent/core/'
C_FOLDERS = ('hw/tenstorrent/', 'lib/', 'target/riscv/tensix/')
PACKAGE = 'python/blackhole_tile'
COVERAGE = [sys.executable, '-m', 'coverage']
# At least so many of a hundred lines and branches
LIMITS = {'core': (97, 92), 'the rest of the C': (90, 0), 'Python': (85, 0)}
# A call that reports a violation, or an option that is wrong
REPORTS = re.compile(r'^\s.*\b(tensix_(insn_)?violation|error_setg\w*|'
                     r'tensix_(\w+_)?report(_by|_hart|_access|_reserved|'
                     r'_finding|_foreign|_kept_zeroes)?)\(')
# What a device says that its own board has put together wrongly: no user can
INTERNAL = re.compile(r'link propert|needs hart-id|exists only inside|'
                      'its board has not|l1 must have|two tiles at')
# Each process of Python loads it.  An emulator has to end by itself, or what it
# has counted is lost.
HOOK = '''\
import subprocess
import coverage
coverage.process_startup()
kill = subprocess.Popen.kill


def end(process):
    if 'qemu' in str(process.args):
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
    kill(process)


subprocess.Popen.kill = end
'''
RCFILE = '''\
[run]
parallel = true
sigterm = true
source = {source}
data_file = {data}/data
'''
STYLE = ('<meta charset="utf-8"><title>coverage</title><style>body, table '
         '{font-family: monospace} .no {background: #fcc} .half '
         '{background: #ffc} td {padding: 0 1em; text-align: right} '
         'td:first-child {text-align: left}</style>')


# --- the build and its tests ---

def environment():
    """For scripts/setup and the tests of the second build."""
    pythonpath = [SITE, *filter(None, [os.environ.get('PYTHONPATH')])]
    return dict(os.environ, BUILD=FOLDER, TENSIX_BUILD=FOLDER,
                TENSIX_INSIDE='1', QEMU_SRC=os.path.join(
                    BUILD, 'qemu-src.orig'),
                TENSIX_CC=os.path.join(ROOT, 'tests', 'coverage', 'gcc'),
                COVERAGE_PROCESS_START=os.path.join(FOLDER, 'coveragerc'),
                PYTHONPATH=os.pathsep.join(pythonpath))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def prepare():
    """The second build, and nothing that an earlier run has counted."""
    if subprocess.run([*COVERAGE, '--version'], check=False,
                      stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        raise StageError('Python has no module coverage: apt-get install '
                         'python3-coverage')
    env = environment()
    for name in 'COVERAGE_PROCESS_START', 'PYTHONPATH':
        env.pop(name)
    need('coverage-setup', [os.path.join(ROOT, 'scripts', 'setup')], env=env)
    for where, _, names in os.walk(FOLDER):
        for name in names:
            if name.endswith('.gcda'):
                os.remove(os.path.join(where, name))
    shutil.rmtree(DATA, ignore_errors=True)
    os.makedirs(DATA)
    write(os.path.join(SITE, 'sitecustomize.py'), HOOK)
    write(os.path.join(FOLDER, 'coveragerc'), RCFILE.format(
        source=os.path.join(ROOT, PACKAGE), data=DATA))


def run_tests():
    """Those of the second build.  Their failures are a matter of the stages'
    own runs: here some have less time than they need."""
    name = 'coverage-tests'
    run(name, [sys.executable, '-B', os.path.join(ROOT, 'scripts',
                                                  'lib_check.py'), *STAGES],
        env=environment())
    progress('coverage: of the tests ' + text_of(log_of(name))
             .rstrip().split('\n')[-1])


# --- what they have reached ---

def is_code(path):
    """C of this repository; tables that macros expand are none, nor is what
    QEMU's trace points are made from."""
    return path.startswith(C_FOLDERS) and path.endswith(('.c', '.h', '.c.inc'))


def python_files():
    """{path from ROOT: what the module coverage says of it}"""
    report = os.path.join(FOLDER, 'python.json')
    options = ['--rcfile', os.path.join(FOLDER, 'coveragerc')]
    need('coverage-combine', [*COVERAGE, 'combine', '-q', *options])
    need('coverage-json', [*COVERAGE, 'json', '-q', *options, '-o', report])
    need('coverage-html', [*COVERAGE, 'html', '-q', *options, '-d',
                           os.path.join(HTML, 'python')])
    files = json.loads(text_of(report))['files']
    return {os.path.relpath(os.path.join(ROOT, path), ROOT): file
            for path, file in files.items()}


def python_tally(files):
    """Of all of them."""
    found = Tally()
    for file in files.values():
        found.lines += file['summary']['num_statements']
        found.reached += file['summary']['covered_lines']
    return found


def tallies(sources, python):
    """{part of LIMITS: Tally}"""
    found = {'core': Tally(), 'the rest of the C': Tally()}
    for path, source in sources.items():
        found['core' if path.startswith(CORE) else 'the rest of the C'] \
            .add(source)
    found['Python'] = python_tally(python)
    return found


def unreached_reports(sources):
    """Lines that report a violation or a wrong option, and that no test
    reaches: PATH:LINE: TEXT"""
    return [f'{path}:{number}: {source.text[number - 1].strip()}'
            for path, source in sorted(sources.items())
            for number, count in sorted(source.lines.items())
            if not count and REPORTS.search(source.text[number - 1]) and
            not INTERNAL.search(source.text[number - 1])]


# --- the report ---

def row(name, tally):
    """Of a table."""
    lines, branches = tally.percent()
    return (f'{name:42} {tally.lines:6} lines {lines:5.1f} %' + (
        f' {tally.branches:6} branches {branches:5.1f} %'
        if tally.branches else ''))


def page_name(path):
    return path.replace('/', '.') + '.html'


def source_page(source):
    """With the counts before each line."""
    yield f'{STYLE}<h1>{source.path}</h1><pre>'
    for number, text in enumerate(source.text, 1):
        count = source.lines.get(number)
        all_ways = all(source.branch_counts(number))
        style = '' if count is None else 'no' if not count else \
            '' if all_ways else 'half'
        yield (f'<span class="{style}">{"" if count is None else count:>12} '
               f'{number:5} {html.escape(text)}</span>')
    yield '</pre>'


def index_page(sources):
    """All files, with links."""
    yield f'{STYLE}<h1>Coverage</h1><p><a href="python/index.html">Python</a>'
    yield '<table><tr><td>file<td>lines<td>%<td>branches<td>%'
    for path, source in sorted(sources.items()):
        tally = Tally()
        tally.add(source)
        lines, branches = tally.percent()
        yield (f'<tr><td><a href="{page_name(path)}">{path}</a>'
               f'<td>{tally.lines}<td>{lines:.1f}<td>{tally.branches}'
               f'<td>{branches:.1f}')
    yield '</table>'


def write_html(sources):
    """An index, and a page for each file."""
    write(os.path.join(HTML, 'index.html'), '\n'.join(index_page(sources)))
    for path, source in sources.items():
        write(os.path.join(HTML, page_name(path)),
              '\n'.join(source_page(source)))


def judge(result, found):
    """A part is good if it is at its limits, or above."""
    for name, tally in found.items():
        progress('coverage: ' + row(name, tally))
        for limit, percent, what in zip(LIMITS[name], tally.percent(),
                                        ('lines', 'branches')):
            if not limit:
                continue
            if percent >= limit:
                result.add(passed=1)
            else:
                result.fail(f'{name}: {what}',
                            f'{percent:.1f} % are reached, {limit} % have to '
                            'be')


def judge_reports(result, sources):
    """A test has to reach each of them."""
    unreached = unreached_reports(sources)
    for line in unreached:
        result.fail('a report that no test reaches', line)
    if not unreached:
        result.add(passed=1)


def report(result):
    """Of what the build and its tests have left."""
    sources = sources_of(FOLDER, is_code)
    python = python_files()
    write_html(sources)
    for name, tally in by_directory(sources).items():
        progress('coverage: ' + row(name, tally))
    judge_reports(result, sources)
    judge(result, tallies(sources, python))
    progress('coverage: the report is ' + os.path.join(HTML, 'index.html'))


def check_coverage(result):
    """The whole stage."""
    prepare()
    run_tests()
    report(result)
