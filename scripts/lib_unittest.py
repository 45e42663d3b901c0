# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one file of unittest cases, or those that are named (CLASS or CLASS.TEST),
with -f before the file until one fails: a line for each test, at the end for
each that was skipped "skipped: TEST: REASON", and the counts "tests: PASSED
FAILED SKIPPED" that scripts/check reads.  The file, and what it starts, finds the
package blackhole_tile; the file alone finds scripts/lib_*.py."""

import importlib.util
import os
import sys
import time
import unittest

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), 'python')


class Result(unittest.TextTestResult):
    all_of_them = 0

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.passed = 0
        self.start = 0.0

    def startTest(self, test):
        self.stream.write('[%d/%d] ' % (self.testsRun + 1, self.all_of_them))
        super().startTest(test)
        self.start = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.stream.write('    %.1f s\n' % (time.monotonic() - self.start))

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.passed += 1


def load(path, names):
    name = os.path.basename(path)[:-3]
    sys.path[:0] = [os.path.dirname(path), PACKAGE]
    os.environ['PYTHONPATH'] = os.pathsep.join(
        [PACKAGE, *filter(None, [os.environ.get('PYTHONPATH')])])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    loader = unittest.defaultTestLoader
    return loader.loadTestsFromNames(names, module) if names else \
        loader.loadTestsFromModule(module)


def main():
    args = sys.argv[1:]
    stops_at_first = args[0] == '-f'
    path, *names = args[stops_at_first:]
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2,
                                     failfast=stops_at_first,
                                     resultclass=Result)
    suite = load(os.path.abspath(path), names)
    Result.all_of_them = suite.countTestCases()
    result = runner.run(suite)
    failed = (len(result.failures) + len(result.errors) +
              len(result.unexpectedSuccesses))
    for test, reason in result.skipped:
        print('skipped: %s: %s' % (test.id().replace(' ', '_'), reason))
    print('tests: %d %d %d' % (result.passed, failed, len(result.skipped)))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
