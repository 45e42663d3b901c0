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
html_copy_source = False
html_show_copyright = False


def name_of(literal):
    """What a ``literal`` is looked up by: an option without its value."""
    return re.split(r'[=| \[]', literal.astext(), maxsplit=1)[0]


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
        """EXPLAINED holds the literals; the entries stand before BLOCK."""
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


def setup(app):
    app.add_transform(IndexTerms)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
