# SPDX-License-Identifier: GPL-2.0-or-later
"""For pytest: the fixture `tile`, a machine for one test.

    # conftest.py
    pytest_plugins = ['blackhole_tile.pytest_plugin']

    # test_add.py
    @pytest.mark.tile('build/examples/add')
    @pytest.mark.accelerator('single', 'icount')
    @pytest.mark.seed(1, 2, 3)
    def test_add(tile):
        tile.put_tiles(0x40000, a, 'bf16')
        tile.go()
        tile.wait_for_word(0x20004, 4)

The machine is stopped until go().  Violations of each test are reported at the
end of the output; a test that fails shows, too, all waits and what
the machine printed.  With --tensix-check each machine makes all checks, and a
test fails if its machine has findings.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import (Any, Dict, Generator, Iterator, List, Mapping, Optional,
                    Tuple, Union)

import pytest

from .errors import TileError
from .firmware import images as images_of_folder
from .machine import ACCELERATORS, Tile

Images = Union[str, Mapping[str, str]]
PROPERTY = 'tensix-violation'        # of a report, JUnit's XML too
MARKERS = (
    'tile(images, **options): what the machine of the fixture tile runs: '
    'FOLDER, FOLDER/NAME or {hart: ELF}; options of blackhole_tile.Tile',
    'accelerator(*names): runs the test with each of single, multi, icount',
    'seed(*numbers): runs the test with each order of the machine, its option '
    'schedule=seed=N; with icount unless an accelerator is named',
    'violations: they belong to the test, which does not fail with '
    '--tile-violations=fail or --tensix-check',
    'unfinished: what is unfinished at the end belongs to the test, which '
    'does not fail',
)


@dataclass(frozen=True)
class Way:
    """How a test's machine runs.  seed: None for the machine's own order."""
    accelerator: str
    seed: Optional[int] = None

    def __str__(self) -> str:
        return self.accelerator if self.seed is None else \
            f'{self.accelerator}-seed{self.seed}'

    def machine(self) -> List[str]:
        """Options of -M."""
        return [] if self.seed is None else [f'schedule=seed={self.seed}']


# --- options and markers ---

def pytest_addoption(parser: Any) -> None:
    """What the command line has for all tests."""
    group = parser.getgroup('blackhole-tile')
    group.addoption('--tile-accelerator', action='append', default=[],
                    choices=tuple(ACCELERATORS), help='of tests that name '
                    'none; may come several times (default: single)')
    group.addoption('--tile-seed', action='append', type=int, default=[],
                    metavar='N', help='of tests that name none; may come '
                    "several times (default: the machine's own order)")
    group.addoption('--tile-violations', choices=('report', 'fail'),
                    default='report', help='a test whose machine reports one '
                    'passes (the default) or fails')
    group.addoption('--tensix-check', action='store_true',
                    help='all checks: uninitialised reads, hazards, races, '
                    'bounds; a test whose machine has findings fails')
    group.addoption('--tensix-suppress', metavar='FILE',
                    help='rules for findings that are known, a line each: '
                    'CATEGORY PLACE REASON')


def pytest_configure(config: Any) -> None:
    """Makes the markers known."""
    for line in MARKERS:
        config.addinivalue_line('markers', line)


def choice(definition: Any, name: str) -> Tuple[Any, ...]:
    """What a test's marker says, or the command line; () if neither does."""
    marker = definition.get_closest_marker(name)
    return tuple(marker.args if marker else definition.config.getoption(
        f'--tile-{name}'))


def ways(definition: Any) -> List[Way]:
    """How a test is to be run.  Raises pytest.UsageError."""
    seeds = choice(definition, 'seed')
    names = choice(definition, 'accelerator') or (
        ('icount',) if seeds else ('single',))
    for name in names:
        if name not in ACCELERATORS:
            raise pytest.UsageError(f'{definition.nodeid}: no accelerator '
                                    f'{name}; there are '
                                    f'{" ".join(ACCELERATORS)}')
    return [Way(name, seed) for name in names for seed in seeds or (None,)]


def pytest_generate_tests(metafunc: Any) -> None:
    """One test for each way."""
    if 'tile' in metafunc.fixturenames:
        metafunc.parametrize('tile_way', ways(metafunc.definition), ids=str,
                             indirect=True)


# --- the fixture ---

def images_of(what: Optional[Images]) -> Dict[str, str]:
    """{hart: ELF} of what the marker names.  Raises FileNotFoundError."""
    if what is None or isinstance(what, Mapping):
        return dict(what or {})
    if os.path.isdir(what):
        return images_of_folder(what)
    return images_of_folder(os.path.dirname(what) or '.',
                            os.path.basename(what))


@pytest.fixture
def tile_way(request: Any) -> Way:
    """How the machine runs: tile_way.accelerator, tile_way.seed."""
    return request.param


@pytest.fixture
def tile(request: Any, tile_way: Way) -> Iterator[Tile]:
    """A machine that is stopped until go(), with the programs and options
    of the marker tile; ended after the test."""
    # pylint: disable=redefined-outer-name
    marker = request.node.get_closest_marker('tile')
    args, options = (marker.args, dict(marker.kwargs)) if marker else ((), {})
    machine = [options.pop('machine', '')] + tile_way.machine()
    if request.config.getoption('--tensix-check'):
        machine.append('check=all')
    options.setdefault('stopped', True)
    options.setdefault('suppress',
                       request.config.getoption('--tensix-suppress'))
    with Tile(images_of(options.pop('images', args[0] if args else None)),
              options.pop('accel', tile_way.accelerator),
              machine=','.join(filter(None, machine)), **options) as found:
        request.node.blackhole_tile = found
        yield found
        check_finished(request.node, found)


def check_finished(node: Any, found: Tile) -> None:
    """Ends the machine of a test that passed, which then fails if anything is
    unfinished; with --tensix-check also if there are violations.  One that
    failed already has its own report."""
    report = getattr(node, 'blackhole_report', None)
    checks = node.config.getoption('--tensix-check')
    if report is None or not report.passed:
        return
    if found.process.poll() is None:
        if not checks and found.status() != 'running':
            return
        found.settle()
        found.quit()
    left = [] if node.get_closest_marker('unfinished') else found.unfinished()
    lines = checks and not node.get_closest_marker('violations') and \
        [f'{category}: {text}' for category, text in found.violations()] or []
    if left or lines:
        pytest.fail('\n'.join(
            [found.summary()] * checks + lines +
            ['unfinished at the end of the test:'] * bool(left) + left),
            pytrace=False)


# --- reports ---

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any
                              ) -> Generator[None, Any, None]:
    """Adds what the machine has to say after the test itself."""
    outcome = yield
    found: Optional[Tile] = getattr(item, 'blackhole_tile', None)
    if call.when == 'call' and found is not None:
        item.blackhole_report = outcome.get_result()
        add_to_report(outcome.get_result(), item, found)


def add_to_report(report: Any, item: Any, found: Tile) -> None:
    """Violations; of a test that failed all that helps."""
    lines = [f'{category}: {text}' for category, text in found.violations()]
    for properties in (report.user_properties, item.user_properties):
        properties += [(PROPERTY, line) for line in lines]   # now; JUnit's XML
    if lines and report.passed and \
            item.config.getoption('--tile-violations') == 'fail' and \
            not item.get_closest_marker('violations'):
        report.outcome = 'failed'
        report.longrepr = (f'{len(lines)} violations, and '
                           '--tile-violations=fail')
    if report.failed:
        report.sections += [(name, text) for name, text in (
            ('Tensix violations', '\n'.join(lines)),
            ('who waits for what', why(found)),
            ('output of the machine', found.output())) if text]


def why(found: Tile) -> str:
    """Where the machine still answers."""
    try:
        return found.why()
    except (TileError, OSError, ValueError):
        return ''


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Violations of all tests, those that passed too."""
    lines = [f'{report.nodeid}: {value}'
             for reports in terminalreporter.stats.values()
             for report in reports if getattr(report, 'when', '') == 'call'
             for name, value in report.user_properties if name == PROPERTY]
    if lines:
        terminalreporter.section('Tensix violations')
        for line in lines:
            terminalreporter.line(line)
        terminalreporter.line(f'{len(lines)} violation'
                              f'{"s" if len(lines) > 1 else ""} reported')
