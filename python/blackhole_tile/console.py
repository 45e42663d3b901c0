# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands blackhole-tile-run, -debug and so on that pip installs."""

from __future__ import annotations

import runpy


def _start(module: str) -> None:
    runpy.run_module(f'blackhole_tile.{module}', run_name='__main__',
                     alter_sys=False)


def accuracy() -> None:
    """scripts/accuracy"""
    _start('accuracy')


def debug() -> None:
    """scripts/debug"""
    _start('debug')


def perturb() -> None:
    """scripts/perturb"""
    _start('perturb')


def picture() -> None:
    """scripts/picture"""
    _start('picture')


def run() -> None:
    """scripts/run"""
    _start('run')


def sweep() -> None:
    """scripts/sweep"""
    _start('sweep')


def timeline() -> None:
    """scripts/timeline"""
    _start('timeline')


def view() -> None:
    """scripts/view"""
    _start('view')
