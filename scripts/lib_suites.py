# SPDX-License-Identifier: GPL-2.0-or-later
"""scripts/qemu-suites: the results of two trees' tests, and what differs.

Arguments: the folder of the builds plain and patched, and that of the logs.
"""
import collections
import json
import pathlib
import re
import sys

TREES = ('plain', 'patched')
# What make prints of tests/tcg
RUN = re.compile(r'^ +TEST +(.+?) on ', re.M)
FAILED = re.compile(r'^make.*\*\*\* \[.*: run-(.+?)\] Error', re.M)


def meson_results(folder):
    """{test: result} of meson's log, which has a line of JSON per test."""
    path = folder / 'meson-logs' / 'testlog.json'
    return {test['name']: test['result'] for test in
            map(json.loads, path.read_text(encoding='utf-8').splitlines())}


def tcg_results(path):
    """{program: result} of tests/tcg; empty where they did not run."""
    if not path.exists():
        return {}
    text = path.read_text(encoding='utf-8', errors='replace')
    failed = set(FAILED.findall(text))
    return {f'tcg {name}': 'FAIL' if name in failed else 'OK'
            for name in RUN.findall(text)}


def different(plain, patched):
    """(test, result of plain, of patched) of those that are not equal."""
    return [(name, plain.get(name, 'none'), patched.get(name, 'none'))
            for name in sorted(plain.keys() | patched.keys())
            if plain.get(name) != patched.get(name)]


def main():
    builds, logs = map(pathlib.Path, sys.argv[1:])
    results = [{**meson_results(builds / tree),
                **tcg_results(logs / f'suites-tcg-{tree}.log')}
               for tree in TREES]
    for tree, tests in zip(TREES, results):
        counts = collections.Counter(tests.values())
        print(f'{tree}: ' + ', '.join(
            f'{number} {result}' for result, number in sorted(counts.items())))
    rows = different(*results)
    for name, plain, patched in rows:
        print(f'{name}: {plain} without the patches, {patched} with them')
    sys.exit(1 if rows else 0)


if __name__ == '__main__':
    main()
