# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables that docs/silicon.rst includes, docs/silicon-*.csv, from
tests/vectors/silicon (silicon-list)."""

import collections
import configparser
import csv
import glob
import gzip
import io
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, 'tests', 'vectors', 'silicon')
DOCS = os.path.join(ROOT, 'docs')
# Pages that repeat the sums, in these words
REPEATS = {
    'README.md': 'Of {cases} published cases of Blackhole cards {equal} agree',
    'docs/numerics.rst': '{equal} of {cases} published cases of Blackhole '
                         'cards agree',
    'docs/blackhole-tile.rst': '{equal} of {cases} published cases of '
                               'Blackhole cards agree',
}
EVIDENCE = ('recorded', 'exact', 'guard', 'unseen', 'zeros')
CASE = re.compile(r'^# evidence ([^\n]*)\ncase (\S+)\n(.*?)^end\n', re.M | re.S)
COMPARED = re.compile(r'^(?:rb \w+ (?P<bytes>\w+)|'
                      r'rs \w+ \w+ \w+ (?P<count>\w+)|r \w+ \w+)$', re.M)

Row = collections.namedtuple('Row', 'cases different facts')


def bytes_compared(lines):
    return sum(len(match['bytes']) // 2 if match['bytes'] else
               4 * int(match['count'] or '1', 16)
               for match in COMPARED.finditer(lines))


def facts_of(text, name, lines, size):
    """The counts of a case's comment; SIZE is an element's bytes."""
    facts = {key: int(value) for key, value in
             (item.split('=') for item in text.split())}
    if tuple(facts) != EVIDENCE:
        raise SystemExit('%s: evidence is %s' % (name, text))
    elements = facts['recorded'] + facts['exact'] + facts['guard']
    if elements * size != bytes_compared(lines):
        raise SystemExit('%s: %d elements, but %d bytes are compared' % (
            name, elements, bytes_compared(lines)))
    return facts


def known_different():
    """Reason by name of a case."""
    with open(os.path.join(FOLDER, 'known-bad.txt'), encoding='utf-8') as file:
        return dict(line.split(None, 1) for line in file
                    if not line.startswith('#') and line.strip())


def rows_of(path, different):
    """Row by kind of case, in the file's order."""
    with gzip.open(path, 'rt', encoding='ascii') as file:
        text = file.read()
    rows = {}
    for facts, name, lines in CASE.findall(text):
        kind = name.rpartition('_')[0]
        row = rows.setdefault(kind, Row([], [], collections.Counter()))
        row.cases.append(name)
        row.different.extend([name] if name in different else [])
        row.facts.update(facts_of(facts, name, lines,
                                  2 if kind.endswith('_bf16') else 4))
    if sum(len(row.cases) for row in rows.values()) != text.count('\ncase '):
        raise SystemExit(path + ': a case without evidence')
    return rows


def csv_table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator='\n').writerows(rows)
    return text.getvalue()


def summary(title, row):
    facts = row.facts
    return [title, len(row.cases), len(row.cases) - len(row.different),
            len(row.different), facts['recorded'], facts['exact'],
            facts['guard'], facts['unseen'], facts['zeros']]


def origin(name, facts, date):
    return ['``%s``' % name, facts['cases'], facts['path'],
            '``%s``' % facts['job'], '%s; card %s, core %s' % (
                date, facts['card'], facts['core'])]


def tables():
    """({file below docs: text}, the sums)"""
    sources = configparser.ConfigParser(interpolation=None)
    sources.optionxform = str
    sources.read(os.path.join(FOLDER, 'sources.ini'), encoding='utf-8')
    titles = dict(sources['operations'])
    different = known_different()
    origins, rows, total = [], [], Row([], [], collections.Counter())
    paths = sorted(glob.glob(os.path.join(FOLDER, '*.vec.gz')))
    for path in paths:
        name = os.path.basename(path).split('.')[0]
        kinds = rows_of(path, different)
        cases = sum(len(row.cases) for row in kinds.values())
        if cases != int(sources[name]['cases']):
            raise SystemExit('%s: %d cases, sources.ini has another number' %
                             (name, cases))
        origins.append(origin(name, sources[name], sources['all']['date']))
        for kind, row in kinds.items():
            rows.append(summary(titles.pop(kind), row))
            total.cases.extend(row.cases)
            total.different.extend(row.different)
            total.facts.update(row.facts)
    if titles or set(different) - set(total.cases):
        raise SystemExit('no case of: %s' % sorted(
            list(titles) + list(set(different) - set(total.cases))))
    rows.append(summary('**All**', total))
    return texts_of(origins, rows), total


def texts_of(origins, rows):
    """{file below docs: text}"""
    classes = [['Class', 'Cases', 'Below ``operation_pocs``', 'Job',
                'When, where'], *origins]
    operations = [['Operation', 'Cases', 'Equal', 'Different', 'Recorded',
                   'Exact', 'Guards', 'Not compared', 'Zeros'], *rows]
    return {'silicon-classes.csv': csv_table(classes),
            'silicon-operations.csv': csv_table(operations)}


def stale(texts, sums):
    """The files that do not have what the vectors say."""
    for name, text in texts.items():
        path = os.path.join(DOCS, name)
        with open(path, encoding='utf-8') as file:
            if file.read() != text:
                yield 'docs/' + name
    for name, words in REPEATS.items():
        with open(os.path.join(ROOT, name), encoding='utf-8') as file:
            if words.format(**sums) not in ' '.join(file.read().split()):
                yield name


def main(arguments):
    texts, total = tables()
    sums = {'cases': len(total.cases),
            'equal': len(total.cases) - len(total.different)}
    if '--check' not in arguments:
        for name, text in texts.items():
            with open(os.path.join(DOCS, name), 'w', encoding='utf-8') as file:
                file.write(text)
    wrong = list(stale(texts, sums))
    if wrong:
        sys.exit('%s: not what tests/vectors/silicon says: run '
                 'scripts/silicon-list, and write the numbers %s' %
                 (', '.join(wrong), sums))


if __name__ == '__main__':
    main(sys.argv[1:])
