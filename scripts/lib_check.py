# SPDX-License-Identifier: GPL-2.0-or-later
"""The stages of scripts/check. Started by it, after the set-up."""

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from lib_coverage import check_coverage
from lib_files import python_tests
from lib_layers import arrows_up, names_twice
from lib_run import (BUILD, LOG_LINES, ROOT, Result, StageError, log_of, need,
                     progress, run, tail, text_of)
from lib_static import CORE, check_purity, check_style

OBJ = os.path.join(BUILD, 'qemu')
TREE = os.path.join(BUILD, 'qemu-src')
GENERIC = ['qom-test', 'test-hmp', 'device-introspect-test', 'qmp-cmd-test',
           'machine-none-test', 'readconfig-test']
# TAP's point that was skipped, and why
TAP_SKIP = re.compile(r'^(?:ok \d+ (?:- )?|1\.\.0)(.*?) *# SKIP *(.*)$',
                      re.M | re.I)
# How many names a line about skipped tests has
SKIP_NAMES = 3
INTERRUPTED = 130
# Tests of machines wait half of their time, for one to start or to end
WAITING = ['--num-processes', str(2 * len(os.sched_getaffinity(0)))]


def clip(text):
    """The beginning, if it is long."""
    lines = text.splitlines()
    if len(lines) > LOG_LINES:
        lines[LOG_LINES:] = ['... (%d lines more)' % (len(lines) - LOG_LINES)]
    return '\n'.join(lines)


def junit_counts(path):
    """{name of the meson test: [passed, failed, skipped]}, TAP points single"""
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for suite in ElementTree.parse(path).getroot().iter('testsuite'):
        for case in suite.iter('testcase'):
            kinds = {child.tag for child in case}
            index = 2 if 'skipped' in kinds else \
                1 if kinds & {'failure', 'error'} else 0
            counts[suite.get('name'), case.get('name')][index] += 1
    return counts


def collect(result, builddir, logbase):
    """Adds what a run of "meson test" in BUILDDIR left behind."""
    base = os.path.join(builddir, 'meson-logs', logbase)
    failed = 0
    for passed, bad, skipped in junit_counts(base + '.junit.xml').values():
        result.add(passed, bad, skipped)
        failed += bad
    wrong = []
    with open(base + '.json') as lines:
        for line in lines:
            test = json.loads(line)
            result.reasons += skips_of(test)
            if test['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL'):
                wrong.append(test)
    for test in wrong:
        text = test.get('stdout', '') + test.get('stderr', '')
        result.logs.append((test['name'], '%s\nthe whole output is in %s' % (
            tail(failures_first(text)), base + '.txt')))
    # A test that crashes after its last point has no failed point
    result.add(failed=max(0, len(wrong) - failed))


def skips_of(test):
    """(name, reason) of the points that a meson test has skipped. A test that
    is no TAP skips as a whole, and its last line says why."""
    name, text = test['name'].split(' / ')[-1], test.get('stdout', '')
    points = [('%s: %s' % (name, point) if point else name, reason)
              for point, reason in TAP_SKIP.findall(text)]
    if not points and test['result'] == 'SKIP':
        points = [(name, tail(text).split('\n')[-1])]
    return points


def failures_first(text):
    """The log without the points that passed."""
    return '\n'.join(line for line in text.splitlines()
                     if not re.match(r'\s*ok \d+', line))


def meson_test(result, builddir, logbase, args, env=None):
    log = 'test-' + logbase
    # QEMU's folder has the meson that it was configured with
    own = os.path.join(builddir, 'pyvenv', 'bin', 'meson')
    meson = own if os.path.exists(own) else 'meson'
    status = run(log, [meson, 'test', '-C', builddir, '--no-rebuild',
                       '--logbase', logbase] + args, env=env)
    before = result.total()
    try:
        collect(result, builddir, logbase)
    except (OSError, ValueError, ElementTree.ParseError) as err:
        raise StageError('meson test left no result: %s\n%s\nthe whole output '
                         'is in %s' % (err, tail(text_of(log_of(log))),
                                       log_of(log))) from err
    if result.total() == before:
        raise StageError('no test was run')
    if status and not result.failed:
        raise StageError('meson test ended with status %d' % status)


def core_build(name, options):
    builddir = os.path.join(BUILD, name)
    if not os.path.exists(os.path.join(builddir, 'build.ninja')):
        need(name + '-setup', ['meson', 'setup', builddir, ROOT] + options)
    need(name + '-build', ['ninja', '-C', builddir])
    return builddir


def stage_core(result):
    meson_test(result, core_build('core', []), 'check', [])


def widest_isa():
    """The widest of the builds of the units that this host can run."""
    flags = text_of('/proc/cpuinfo')
    return next((isa for isa in ('avx512', 'avx2') if isa in flags), '')


def stage_core_asan(result):
    """The units in the widest vectors: the other builds are the same sources,
    and the portable one is without sanitizers if there is a wider. Stage core
    compares all three, and test-simd has all of simd.h here, too."""
    builddir = core_build('core-asan', ['-Db_sanitize=address,undefined',
                                        '-Db_lundef=false',
                                        '-Doptimization=1',
                                        '-Disas=' + widest_isa()])
    # gcc 14 aligns 64-byte variables to 32 on the stack that ASan makes up to
    # detect uses after return
    options = 'halt_on_error=1:abort_on_error=1:print_summary=1:' \
        'detect_stack_use_after_return=0'
    meson_test(result, builddir, 'check', ['--timeout-multiplier', '5',
                                           '--no-suite', 'reports'],
               dict(os.environ, ASAN_OPTIONS=options))


def introspect(what):
    path = os.path.join(OBJ, 'meson-info', 'intro-%s.json' % what)
    with open(path) as file:
        return json.load(file)


def build_tests(wanted):
    """Builds what the tests for which WANTED(test) holds depend on."""
    targets = {target['id']: target for target in introspect('targets')}
    files = set()
    for test in introspect('tests'):
        if wanted(test):
            for ident in test['depends']:
                if ident in targets:
                    files.update(targets[ident]['filename'])
            files.update(c for c in test['cmd'] if c.startswith(OBJ + '/'))
    if not files:
        raise StageError('no such test')
    need('test-build', ['ninja', '-C', OBJ] +
         sorted(os.path.relpath(file, OBJ) for file in files))


def stage_qtest(result):
    build_tests(lambda test: any(suite.endswith(':tensix')
                                 for suite in test['suite']))
    meson_test(result, OBJ, 'tensix', ['--suite', 'tensix'] + WAITING)


def stage_generic(result):
    names = ['qtest-riscv64/' + name for name in GENERIC]
    build_tests(lambda test: test['name'] in names)
    meson_test(result, OBJ, 'generic', names + WAITING)


def stage_functional(result):
    need('firmware', ['make', '-s', '-C', os.path.join(ROOT, 'tests/firmware'),
                      'O=' + os.path.join(BUILD, 'firmware')])
    need('library-times', ['ninja', '-C', os.path.join(BUILD, 'core'),
                           'tests/bench/library-times'])
    python_tests(result, os.path.join(ROOT, 'tests', 'functional'))


def stage_docs(result):
    python_tests(result, os.path.join(ROOT, 'tests', 'docs'))


def check_layers(build, result):
    """No layer of the core uses one above itself; grep finds one place."""
    folder = os.path.join(ROOT, CORE)
    for name, complaints in (('layers', list(arrows_up(folder, build))),
                             ('names', list(names_twice(folder)))):
        for line in complaints:
            result.fail(name, line)
        result.add(not complaints, 0, 0)


def stage_purity(result):
    folder = os.path.join(core_build('core', []), 'hw/tenstorrent/core')
    libraries = [os.path.join(folder, name) for name in os.listdir(folder)
                 if name.endswith('.a')]
    check_purity(ROOT, os.path.join(BUILD, 'purity'), libraries, result)
    check_layers(folder, result)


def stage_style(result):
    check_style(ROOT, TREE, result)


Stage = collections.namedtuple('Stage', 'name what run')
STAGES = [
    Stage("core", 'unit tests and vectors on the core alone', stage_core),
    Stage("core-asan", 'the same under ASan and UBSan', stage_core_asan),
    Stage("purity", 'the core compiles alone, with libc only', stage_purity),
    Stage("style", 'checkpatch and house rules', stage_style),
    Stage("docs", 'the pages as a site, without a warning', stage_docs),
    Stage("qtest", 'qtests and vectors on the machine', stage_qtest),
    Stage("functional", 'firmware, gdb and snapshots', stage_functional),
    Stage("generic", "QEMU's own tests on the machine", stage_generic),
    Stage("coverage", 'what core, qtest and functional reach', check_coverage),
]
# Those that run only if they are named
NAMED = ('coverage',)


def show_skipped(reasons):
    """Why tests were skipped, a line a reason."""
    names = collections.defaultdict(list)
    for name, reason in reasons:
        names[reason or 'it does not say why'].append(name)
    for reason, which in names.items():
        more = len(which) - SKIP_NAMES
        progress('skipped: %s%s: %s' % (
            ', '.join(which[:SKIP_NAMES]),
            ' and %d more' % more if more > 0 else '', reason))


def run_stage(stage):
    """The stage's result; a stage that cannot run has failed."""
    result = Result()
    progress('%s: %s' % (stage.name, stage.what))
    start = time.monotonic()
    try:
        stage.run(result)
        if not result.total():
            result.fail(stage.name, 'no test was run')
    except (StageError, OSError, subprocess.SubprocessError) as err:
        result.fail(stage.name, 'could not run: %s' % err)
    progress('%s: %d passed, %d failed, %d skipped in %.0f s' % (
        stage.name, result.passed, result.failed, result.skipped,
        time.monotonic() - start))
    for name, log in result.logs:
        print('---- failed: %s\n%s\n----' % (name, clip(log)), flush=True)
    return result


def run_stages(wanted):
    """The sum of the results and the names of the stages that failed."""
    sum_ = Result()
    failed, times = [], []
    for stage in STAGES:
        if stage.name not in wanted if wanted else stage.name in NAMED:
            continue
        start = time.monotonic()
        result = run_stage(stage)
        times.append('%s %.0f s' % (stage.name, time.monotonic() - start))
        sum_.add(result.passed, result.failed, result.skipped)
        sum_.reasons += result.reasons
        if result.failed:
            failed.append(stage.name)
    progress('time: ' + ', '.join(times))
    return sum_, failed


def main():
    start = time.monotonic()
    # as Ctrl-C, which ends what runs
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sum_, failed = run_stages(sys.argv[1:])
    except KeyboardInterrupt:
        progress('interrupted, run again to continue')
        return INTERRUPTED
    show_skipped(sum_.reasons)
    progress('%.0f s' % (time.monotonic() - start))
    progress('FAIL: ' + ', '.join(failed) if failed else 'PASS')
    print('%d passed, %d failed, %d skipped' % (
        sum_.passed, sum_.failed, sum_.skipped), flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
