# SPDX-License-Identifier: GPL-2.0-or-later
"""Layers: folders of the sources, and that none uses one above itself."""

import collections
import os
import re
import subprocess

Layer = collections.namedtuple('Layer', 'name purpose')
Arrow = collections.namedtuple('Arrow', 'file layer what')
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
ROOT_LAYER = '.'
STATIC_FUNCTION = re.compile(r'^static (?:\w+[ *]+)+(?!__)(\w+)\([^;]*$',
                             re.MULTILINE)


def read_layers(path):
    """The layers of PATH, topmost first."""
    layers = []
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                name, purpose = line.split(None, 1)
                layers.append(Layer(name, purpose.strip()))
    return layers


def layer_of(path):
    return path.split('/')[0] if '/' in path else ROOT_LAYER


def source_files(folder):
    for where, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(('.c', '.h', '.h.inc')):
                yield os.path.relpath(os.path.join(where, name), folder)


def includes(folder):
    """Arrows by #include. Headers outside of layers are everybody's."""
    for path in source_files(folder):
        with open(os.path.join(folder, path), encoding='utf-8') as file:
            for name in INCLUDE.findall(file.read()):
                if '/' in name and os.path.exists(os.path.join(folder, name)):
                    yield Arrow(path, layer_of(name), '#include "%s"' % name)


def symbols(path):
    """(defined, undefined) symbols of an object file."""
    text = subprocess.run(['nm', '-P', path], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    sets = set(), set()
    for line in text.splitlines():
        name, kind = line.split()[:2]
        if kind in 'TDRBCU':
            sets[kind == 'U'].add(name)
    return sets


def objects(build, folder):
    """(source, object) of all sources below FOLDER that BUILD has built."""
    sources = {path.replace('/', '_'): path for path in source_files(folder)}
    for where, _, names in os.walk(build):
        for name in sorted(names):
            source = sources.get(name[:-2]) if name.endswith('.o') else None
            if source:
                yield source, os.path.join(where, name)


def calls(build, folder):
    """Arrows by symbols that one object uses and another defines."""
    defined, used = {}, collections.defaultdict(set)
    for source, path in objects(build, folder):
        has, wants = symbols(path)
        defined.update(dict.fromkeys(has, source))
        used[source] |= wants
    for source, names in sorted(used.items()):
        for name in sorted(names & defined.keys()):
            if defined[name] != source:
                yield Arrow(source, layer_of(defined[name]),
                            '%s of %s' % (name, defined[name]))


def arrows_up(folder, build):
    """Complaints about arrows that run up, and about layers not listed."""
    path = os.path.join(folder, 'layers.txt')
    layers = [layer.name for layer in read_layers(path)]
    height = {name: n for n, name in enumerate(layers)}
    missing = {layer_of(path) for path in source_files(folder)} - height.keys()

    for name in sorted(missing):
        yield '%s/%s is not in layers.txt' % (folder, name)
    if missing:
        return
    for arrow in [*includes(folder), *calls(build, folder)]:
        if height[arrow.layer] < height[layer_of(arrow.file)]:
            yield '%s: layer %s is above: %s' % (arrow.file, arrow.layer,
                                                arrow.what)


def names_twice(folder):
    """Complaints about static functions of one name in several files."""
    places = collections.defaultdict(set)
    for path in source_files(folder):
        with open(os.path.join(folder, path), encoding='utf-8') as file:
            for name in STATIC_FUNCTION.findall(file.read()):
                places[name].add(path)
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            yield '%s() is in %s' % (name, ', '.join(sorted(paths)))
