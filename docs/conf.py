# SPDX-License-Identifier: GPL-2.0-or-later
"""Sphinx' configuration of these pages: scripts/docs builds them.

Index entries are made from the pages: what a definition list or the first
column of a table names as code is an entry.
"""

import os
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read_version():
    """The version of the project, from its one place."""
    path = os.path.join(ROOT, 'hw', 'tenstorrent', 'VERSION')
    with open(path, encoding='utf-8') as file:
        return file.read().strip()


# Names that sphinx gives to its settings
# pylint: disable=invalid-name,redefined-builtin
project = 'blackhole-tile'
copyright = 'the authors of blackhole-tile; GPL-2.0-or-later'
version = release = read_version()
root_doc = 'index'
nitpicky = True
highlight_language = 'none'
smartquotes = False
html_theme = 'alabaster'
html_theme_options = {
    'description': 'A Tenstorrent Blackhole Tensix tile in QEMU',
    'page_width': '1180px',
    'sidebar_width': '270px',
    'font_family': 'sans-serif',
    'head_font_family': 'sans-serif',
    'show_powered_by': False,
}
html_sidebars = {'**': ['about.html', 'searchbox.html', 'navigation.html']}
# Pages of the installed commands and of the machine; scripts/NAME is
# blackhole-tile-NAME there
man_pages = [
    (page, name, title, 'the authors of blackhole-tile', section)
    for page, name, title, section in (
        ('blackhole-tile', 'blackhole-tile',
         'a Tenstorrent Blackhole Tensix tile in QEMU', 7),
        ('options', 'qemu-system-blackhole-tile',
         'the emulator and the options of its machine', 1),
        ('running', 'blackhole-tile-run', 'run a kernel on the tile', 1),
        ('gdb', 'blackhole-tile-debug', 'run ELFs under gdb', 1),
        ('find-a-race', 'blackhole-tile-perturb',
         'run a program with delays at its synchronisation', 1),
        ('sweep', 'blackhole-tile-sweep',
         'run programs with many seeds and inputs', 1),
        ('sfpi-tutorial', 'blackhole-tile-accuracy',
         'errors of an SFPU kernel over all inputs', 1),
        ('timeline', 'blackhole-tile-timeline',
         'show what happened in a tile', 1),
        ('picture', 'blackhole-tile-picture',
         'draw register files and memory', 1),
        ('view', 'blackhole-tile-view', 'show a tile live in a browser', 1))]
man_make_section_directory = True
html_copy_source = False
html_show_copyright = False


def name_of(literal):
    """What a ``literal`` is looked up by: an option without its value."""
    return re.split(r'[=| \[]', literal.astext(),
                    maxsplit=1)[0].removeprefix('../')


class IndexTerms(SphinxTransform):
    """An index entry for each literal that a definition list or the first
    column of a table explains."""

    default_priority = 500

    def apply(self, **_):
        for term in list(self.document.findall(nodes.term)):
            self.enter(term, term.parent.parent)
        for row in list(self.document.findall(nodes.row)):
            if isinstance(row.parent, nodes.tbody) and len(row[0]):
                table = row.parent.parent.parent
                self.enter(row[0][0], table)

    def enter(self, explained, block):
        """EXPLAINED holds the literals; the entries precede BLOCK."""
        names = [name_of(literal) for literal in explained.children
                 if isinstance(literal, nodes.literal)]
        names = [name for name in names if re.search('[A-Za-z]', name)]
        if not names:
            return
        target = f'term-{self.env.new_serialno("term")}'
        explained['ids'].append(target)
        entries = [('single', name, target, '', None) for name in names]
        block.parent.insert(block.parent.index(block),
                            addnodes.index(entries=entries))


COMMANDS = (
    (re.compile(r'\bscripts/(accuracy|run|debug|perturb|sweep|timeline|picture|view|uninstall)\b'),
     r'blackhole-tile-\1'),
    (re.compile(r'\b(build/)?qemu-system-riscv64(?= -M blackhole-tile)'),
     'qemu-system-blackhole-tile'))


class InstalledCommands(SphinxPostTransform):
    """Man pages are about what is installed."""

    default_priority = 400
    builders = ('man',)

    def run(self, **_):
        for node in list(self.document.findall(nodes.Text)):
            text = str(node)
            for pattern, name in COMMANDS:
                text = pattern.sub(name, text)
            if text != node:
                node.parent.replace(node, nodes.Text(text))


def setup(app):
    app.add_transform(IndexTerms)
    app.add_post_transform(InstalledCommands)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
