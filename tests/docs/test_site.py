# SPDX-License-Identifier: GPL-2.0-or-later
"""The pages of docs/ as a site: scripts/docs builds it without a warning, every
page is reached from the index, no link leads nowhere, what pages and sources
name exists."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DOCS = os.path.join(ROOT, 'docs')
VERSION = os.path.join(ROOT, 'hw', 'tenstorrent', 'VERSION')
CITES = 'deviations'            # the page that names other projects' files
# Pages that sphinx makes beside ours
MADE = {'genindex', 'search'}
SOURCES = ('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md',
           'docs', 'examples', 'hw', 'include', 'lib', 'python', 'qapi',
           'scripts', 'target', 'tests')
ORPHAN = 'A page\n======\n\nNobody refers to this.\n'
DEAD_LINK = '\nSee :doc:`no-such-page`.\n'


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def pages():
    return {name[:-4] for name in os.listdir(DOCS) if name.endswith('.rst')}


class Links(html.parser.HTMLParser):
    """The links, the anchors and what else is loaded of one HTML page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loaded = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if 'id' in values:
            self.anchors.add(values['id'])
        if tag == 'a' and 'href' in values:
            self.links.append(values['href'])
        elif tag in ('link', 'script', 'img') and values.get('rel') not in (
                'canonical', 'nofollow'):
            self.loaded += [values[name] for name in ('href', 'src')
                            if name in values]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = os.path.join(cls.temporary.name, 'html')
        done = subprocess.run(
            [os.path.join(ROOT, 'scripts', 'docs'), cls.folder], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout
        cls.pages = {
            os.path.splitext(name)[0]: Links(read(cls.folder, name))
            for name in os.listdir(cls.folder) if name.endswith('.html')}

    def test_each_page_is_there(self):
        self.assertGreater(len(pages()), 15)
        self.assertEqual(set(self.pages), pages() | MADE)

    def test_each_page_is_reached_from_the_index(self):
        seen, todo = set(), ['index']
        while todo:
            page = todo.pop()
            seen.add(page)
            todo += {name for name, _ in self.local_links(page)} - seen
        self.assertEqual(seen, set(self.pages))

    def local_links(self, page):
        """(page, anchor) of the links of PAGE that stay in the site."""
        for link in self.pages[page].links:
            url = urllib.parse.urlparse(link)
            if not url.scheme and not url.path.startswith('_'):
                name = os.path.splitext(url.path)[0] or page
                yield name, urllib.parse.unquote(url.fragment)

    def test_no_link_leads_nowhere(self):
        for page in self.pages:
            for name, anchor in self.local_links(page):
                self.assertIn(name, self.pages, page)
                if anchor:
                    self.assertIn(anchor, self.pages[name].anchors, page)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page, content in self.pages.items():
            for link in content.loaded:
                path = urllib.parse.urlparse(link)
                self.assertFalse(path.scheme or path.netloc, (page, link))
                self.assertTrue(os.path.exists(
                    os.path.join(self.folder, path.path)), (page, link))

    def test_search_knows_each_page(self):
        text = read(self.folder, 'searchindex.js')
        names = re.search(r'"?docnames"?:\s*(\[[^]]*\])', text).group(1)
        self.assertEqual(set(json.loads(names)), pages())

    def test_options_are_in_the_general_index(self):
        text = read(self.folder, 'genindex.html')
        names = re.findall(r'^``([a-z-]+)=', read(DOCS, 'options.rst'), re.M)
        names += re.findall(r'^``(--[a-z-]+)', read(DOCS, 'running.rst'), re.M)
        self.assertGreater(len(names), 20)
        entries = {name: links for links, name in re.findall(
            r'<li>((?:<a href="[^"]*">(?:<strong>)?(.*?)<.*?)\n)</li>', text)}
        for name in names:
            self.assertRegex(entries.get(name, ''),
                             r'"(options|running)\.html#term-\d+"', name)


class ManPages(unittest.TestCase):
    """What scripts/docs makes beside the site."""

    TOOLS = ('run', 'debug', 'perturb', 'sweep', 'timeline', 'picture',
             'view')

    @classmethod
    def setUpClass(cls):
        temporary = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.folder = os.path.join(temporary, 'docs', 'man')
        done = subprocess.run(
            [os.path.join(ROOT, 'scripts', 'docs')], text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, 'BUILD': temporary})
        assert done.returncode == 0, done.stdout

    def page(self, name, section=1):
        """Its source without fonts."""
        text = read(self.folder, f'man{section}', f'{name}.{section}')
        return re.sub(r'\\f.', '', text.replace('\\-', '-'))

    @staticmethod
    def options_of_help(tool):
        text = subprocess.run(
            [os.path.join(ROOT, 'scripts', tool), '--help'], text=True,
            stdout=subprocess.PIPE, check=True).stdout
        return set(re.findall(r'^  (?:-\w[^-]*, )?(--[a-z-]+)', text, re.M))

    def test_all_are_there_and_can_be_shown(self):
        pages = [('blackhole-tile', 7), ('qemu-system-blackhole-tile', 1)] + [
            (f'blackhole-tile-{tool}', 1) for tool in self.TOOLS]
        for name, section in pages:
            self.assertRegex(self.page(name, section),
                             rf'(?s)\.TH "{name.upper()}" "{section}" .*\.SH NAME'
                             rf'\n{name} -? ?\\?- ')
            if shutil.which('man'):
                done = subprocess.run(
                    ['man', '-l', '--warnings', os.path.join(
                        self.folder, f'man{section}', f'{name}.{section}')],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                    text=True, check=False, env={**os.environ,
                                                 'MANWIDTH': '100'})
                self.assertEqual((done.returncode, done.stderr), (0, ''))

    def test_commands_are_the_installed_ones(self):
        for tool in self.TOOLS:
            text = self.page(f'blackhole-tile-{tool}')
            self.assertIn(f'blackhole-tile-{tool}', text)
            self.assertNotRegex(text, f'scripts/({"|".join(self.TOOLS)})')

    def test_options_of_run(self):
        """The same as those of --help, no more and no less."""
        terms = re.findall(r'^\.TP\n(.*)$', self.page('blackhole-tile-run'),
                           re.M)
        named = {option for term in terms
                 for option in re.findall(r'--[a-z][a-z-]*', term)}
        self.assertEqual(named, self.options_of_help('run') - {'--help'})

    def test_options_of_the_other_tools(self):
        for tool in self.TOOLS[1:]:
            named = set(re.findall(r'(?<![\w-])--[a-z][a-z-]*',
                                   self.page(f'blackhole-tile-{tool}')))
            self.assertEqual(
                self.options_of_help(tool) - {'--help'} - named, set(), tool)


class Faults(unittest.TestCase):
    """What is wrong with a page ends scripts/docs with an error."""

    def build(self, page, text):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('docs', 'examples', 'scripts'):
                shutil.copytree(os.path.join(ROOT, name),
                                os.path.join(folder, name))
            os.makedirs(os.path.join(folder, 'hw', 'tenstorrent'))
            shutil.copy(VERSION, os.path.join(folder, 'hw', 'tenstorrent'))
            with open(os.path.join(folder, 'docs', page), 'a',
                      encoding='utf-8') as file:
                file.write(text)
            return subprocess.run(
                [os.path.join(folder, 'scripts', 'docs')], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)

    def test_a_page_that_nothing_leads_to(self):
        done = self.build('orphan.rst', ORPHAN)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"orphan\.rst: .*isn't included in any")

    def test_a_link_to_nowhere(self):
        done = self.build('options.rst', DEAD_LINK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('no-such-page', done.stdout)

    def test_without_a_fault(self):
        self.assertEqual(self.build('options.rst', '\nFine.\n').returncode, 0)


def text_files():
    for name in SOURCES:
        path = os.path.join(ROOT, name)
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names
                        if '__pycache__' not in folder)


class Names(unittest.TestCase):
    def test_pages_that_sources_name(self):
        """docs/NAME.rst and docs/NAME.rst, "Chapter"."""
        named = set()
        for path in text_files():
            with open(path, encoding='utf-8', errors='replace') as file:
                text = re.sub(r'\n\s*(\*|#|//)\s*', ' ', file.read())
            found = re.findall(r'(?<![\w/])docs/([\w-]+)\.rst(?:, "([^"\n]+)")?',
                               text)
            named |= {(name, chapter, path) for name, chapter in found}
        self.assertGreater(len(named), 20)
        for name, chapter, path in named - self.examples():
            self.assertIn(name, pages(), path)
            if chapter:
                self.assertRegex(read(DOCS, name + '.rst'),
                                 rf'(?m)^{re.escape(chapter)}\n[=~-]+$', path)

    @staticmethod
    def examples():
        """The names in this file are examples."""
        return {('NAME', chapter, os.path.abspath(__file__))
                for chapter in ('', 'Chapter')}

    def test_files_that_pages_name(self):
        known = re.compile(r'``((?:scripts|tests|hw|include|patches|python|'
                           r'qapi|target|examples|docs)/[\w./-]+)``')
        named = {(path, page) for page in pages()
                 for path in known.findall(read(DOCS, page + '.rst'))
                 if not re.search('NAME|LAYER', path) and page != CITES}
        self.assertGreater(len(named), 50)
        for path, page in sorted(named):
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)),
                            f'{page}.rst names {path}')


if __name__ == '__main__':
    unittest.main()
