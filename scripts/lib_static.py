# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks on the sources: what the core links against, and how all is written."""

import ast
import concurrent.futures
import os
import re
import shutil
import subprocess

from lib_run import counted

CORE = 'hw/tenstorrent/core'
MAX_LINES, MAX_COLUMNS, QAPI_COLUMNS = 800, 79, 70
MAX_BYTES = 1 << 20                 # a core dump was once committed
# From the line that announces it to the first that is not indented
EXAMPLE = re.compile(r'^# .*::\n(?:#(?:    .*)?\n)*', re.M)
C_FILE = re.compile(r'^(hw|include|lib|target|tests|examples|runtime)/.*\.[ch]$')
PACKAGE = re.compile(r'^(python|examples)/.*\.py$')
WANTS_SPDX = re.compile(r'(\.[chS]|\.py|\.sh|meson\.build|Kconfig|\.mak|'
                        r'\.inc|trace-events)$|^scripts/|^\.ci/')
# Files that a process of checkpatch reads
FILES_AT_ONCE = 20
# What checkpatch says that is no fault here: (files, complaint)
IGNORED = [(re.compile(files), re.compile(complaint)) for files, complaint in [
    # 80 columns are where one should stop, 90 where one must
    (r'', r'line over 80 characters'),
    # MAINTAINERS there is QEMU's
    (r'', r'added, moved or deleted file'),
    # Tables are lists of rows that the includer's macro expands
    (r'^(hw|include|tests|examples)/', r'Macros with (complex values|multiple state)'),
    # Registers of the device that the firmware runs on
    (r'^(tests/firmware|examples|runtime|include/blackhole-tile)/',
     r'Use of volatile|externs should be avoided'),
    # The core's vector code picks the host's instructions
    (r'^hw/tenstorrent/core/', r'architecture specific defines'),
    # What it takes for something else: "MACRO(..) & x" for a cast, "default:"
    # behind a table macro for "?:", "}[i]" and storage classes in a macro
    (r'', r"prohibited after that '&' \(ctx:WxW\)|around that ':' \(ctx:VxE|"
     r'required after that close brace|storage class should be'),
    # Code that builds without QEMU
    (r'^(lib|runtime|tests/(vectors|unit|bench|fuzz|firmware))/', r'consider using qemu_|'
     r'consider using g_|memory alloc'),
]]


# The host's vector instructions and types have one place in the core
SIMD = re.compile(r'^%s/num/simd' % CORE)
VECTOR = re.compile(r'\b_mm\d*_\w+|\b__(?:AVX|SSE)\w+|\bvector_size\b|'
                    r'\b\w*mmintrin\.h\b')
SIMD_FUNCTION = re.compile(
    r'^(?:SIMD_INLINE [\w ]+ \**|#define |SIMD_\w+\()simd_(\w+)', re.M)


def output_of(command, **kwargs):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          **kwargs)


def symbols(path, *options):
    """The set of symbols nm prints for PATH."""
    out = subprocess.run(['nm', '-P', *options, path], text=True, check=True,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    return {line.split()[0].split('@')[0]
            for line in out.splitlines() if len(line.split()) > 1}


def libc_path():
    """libc.so.6 as the dynamic linker finds it."""
    out = output_of(['ldd', shutil.which('env')]).stdout
    return re.search(r'libc\.so\.6 => (\S+)', out).group(1)


def allowed_symbols(compiler):
    """What libc and the compiler's own run-time library define."""
    support = output_of([compiler, '-print-libgcc-file-name']).stdout.strip()
    allowed = symbols(libc_path(), '-D', '--defined-only')
    if os.path.exists(support):
        allowed |= symbols(support, '--defined-only')
    return allowed


def core_sources(root):
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(os.path.join(root, CORE))
                  for name in names if name.endswith('.c'))


def compile_alone(compiler, root, source, folder):
    """The object file, or None, and what the compiler said."""
    name = os.path.basename(source)[:-2]
    obj = os.path.join(folder, '%s-%s.o' % (compiler, name))
    # "[0 ... N] = default" in tables is QEMU's idiom too
    idiom = ['-Wno-initializer-overrides'] if compiler == 'clang' else []
    done = output_of([compiler, '-std=gnu11', '-O2', '-Wall', '-Werror',
                      '-ffp-contract=off', '-fno-pie', '-I',
                      os.path.join(root, CORE), '-c', source, '-o', obj] +
                     idiom)
    return None if done.returncode else obj, done.stdout


def purity_with(compiler, root, folder, result):
    sources = core_sources(root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = counted('purity with ' + compiler, pool.map(
            lambda source: compile_alone(compiler, root, source, folder),
            sources), len(sources))
    objects = [obj for obj, _ in done if obj]
    result.add(passed=len(objects))
    for source, (obj, said) in zip(sources, done):
        if not obj:
            result.fail('purity/%s/%s' % (compiler, os.path.basename(source)),
                        said)
    if len(objects) < len(sources) or not objects:
        return
    whole = os.path.join(folder, 'whole-%s.o' % compiler)
    subprocess.run(['ld', '-r', '-o', whole] + objects, check=True)
    extra = symbols(whole, '--undefined-only') - allowed_symbols(compiler)
    extra.discard('_GLOBAL_OFFSET_TABLE_')
    if extra:
        result.fail('purity/%s/symbols' % compiler,
                    'beyond libc: ' + ' '.join(sorted(extra)))
    else:
        result.add(passed=1)
    no_state(compiler, whole, result)


def no_state(compiler, whole, result):
    """No variables: the state is the caller's. (-fno-pie above keeps constant
    tables of pointers among the constants.)"""
    out = subprocess.run(['nm', '-P', whole], text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    variables = [line.split()[0] for line in out.splitlines()
                 if line.split()[1] in 'BbDdCGgSs' and
                 not line.startswith('.')]
    if variables:
        result.fail('purity/%s/globals' % compiler,
                    'writable data: ' + ' '.join(variables))
    else:
        result.add(passed=1)


def archive_purity(libraries, result):
    """The libraries as they are built, all vector levels: together they want
    nothing but libc."""
    wanted, defined = set(), allowed_symbols('gcc')
    for library in libraries:
        wanted |= symbols(library, '--undefined-only')
        defined |= symbols(library, '--defined-only')
    wanted.discard('_GLOBAL_OFFSET_TABLE_')
    extra = sorted(wanted - defined)
    if extra or not libraries:
        result.fail('purity/libraries', 'beyond libc: ' + ' '.join(extra))
    else:
        result.add(passed=1)


def check_purity(root, folder, libraries, result):
    os.makedirs(folder, exist_ok=True)
    archive_purity(libraries, result)
    purity_with('gcc', root, folder, result)
    if shutil.which('clang'):
        purity_with('clang', root, folder, result)
    else:
        result.skip('purity/clang', 'no clang: apt-get install clang')


def tracked(root):
    """The files of the repository, those not yet added included."""
    listing = ['git', 'ls-files', '--cached', '--others',
               '--exclude-standard']
    if not shutil.which('git') or not os.path.exists(root + '/.git'):
        listing = ['find', '.', '-type', 'f', '-not', '-path', './build/*',
                   '-not', '-path', './.git/*',
                   '-not', '-path', '*/__pycache__/*']
    out = subprocess.run(listing, cwd=root, check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    files = [os.path.normpath(line) for line in out.splitlines()]
    return sorted(f for f in files if os.path.exists(os.path.join(root, f)))


def ignored(name, line):
    return any(files.search(name) and complaint.search(line)
               for files, complaint in IGNORED)


def checkpatch(root, tree, names):
    """{file: complaints} of QEMU's checkpatch, whose start takes as long as a
    file does."""
    out = output_of(['perl', os.path.join(tree, 'scripts', 'checkpatch.pl'),
                     '--no-tree', '--terse', '--no-summary', '-f', *names],
                    cwd=root).stdout
    found = {name: [] for name in names}
    for line in out.splitlines():
        name = line.partition(':')[0]
        if re.search(r': (ERROR|WARNING): ', line) and not ignored(name, line):
            found[name].append(line)
    return found


def house_rules(root, name):
    """The complaints about licence line and length."""
    path = os.path.join(root, name)
    if os.path.getsize(path) > MAX_BYTES:
        return ['%s: more than %d bytes' % (name, MAX_BYTES)]
    with open(path, encoding='utf-8', errors='replace') as file:
        lines = file.read().splitlines()
    wrong = []
    if WANTS_SPDX.search(name) and \
       not any('SPDX-License-Identifier: GPL-2.0-or-later' in line
               for line in lines[:6]):
        wrong.append(name + ': no SPDX line at the top')
    if len(lines) > MAX_LINES and re.search(r'\.([chS]|py|sh)$', name):
        wrong.append('%s: %d lines, at most %d' % (name, len(lines),
                                                   MAX_LINES))
    return wrong


def package_rules(root, name):
    """Of what users read: documented, typed, as wide as a page."""
    if not PACKAGE.match(name):
        return []
    with open(os.path.join(root, name), encoding='utf-8') as file:
        text = file.read()
    wrong = ['%s:%d: longer than %d columns' % (name, number, MAX_COLUMNS)
             for number, line in enumerate(text.splitlines(), 1)
             if len(line) > MAX_COLUMNS]
    return wrong + list(undocumented(name, ast.parse(text)))


def undocumented(name, tree):
    """Modules, classes and functions without a docstring, functions of the
    package without types; what begins with _ explains itself."""
    for node in ast.walk(tree):
        function = isinstance(node, ast.FunctionDef)
        if not function and not isinstance(node, (ast.ClassDef, ast.Module)):
            continue
        own = getattr(node, 'name', 'the module')
        line = getattr(node, 'lineno', 1)
        inner = function and isinstance(getattr(node, 'parent', None),
                                        ast.FunctionDef)
        for child in ast.iter_child_nodes(node):
            child.parent = node
        if own.startswith('_') or inner:
            continue
        if not ast.get_docstring(node):
            yield '%s:%d: %s has no docstring' % (name, line, own)
        if function and name.startswith('python/') and not node.returns:
            yield '%s:%d: %s has no types' % (name, line, own)


def qapi_rules(root, name):
    """QEMU 10.2 refuses wide lines of documentation, except in examples."""
    if not name.startswith('qapi/'):
        return []
    with open(os.path.join(root, name), encoding='utf-8') as file:
        text = EXAMPLE.sub(lambda found: '\n' * found[0].count('\n'),
                           file.read())
    return ['%s:%d: longer than %d columns' % (name, number, QAPI_COLUMNS)
            for number, line in enumerate(text.splitlines(), 1)
            if line.startswith('#') and len(line) > QAPI_COLUMNS]


def foreign_vectors(root, name):
    """What only simd.h may name."""
    if not name.startswith(CORE + '/') or SIMD.match(name):
        return []
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return ['%s:%d: %s belongs into simd.h' % (name, number, what)
                for number, line in enumerate(file, 1)
                for what in VECTOR.findall(line)]


def untested_vectors(root, name):
    """The functions of simd.h without a row in tests/unit/simd-forms.h."""
    if not SIMD.match(name):
        return []
    with open(os.path.join(root, name), encoding='utf-8') as file:
        names = set(SIMD_FUNCTION.findall(file.read()))
    with open(os.path.join(root, 'tests/unit/simd-forms.h'),
              encoding='utf-8') as file:
        rows = set(re.findall(r'X\((\w+)\)', file.read()))
    # store, load16 and their like are used by all forms
    return ['%s: tests/unit/simd-forms.h lacks simd_%s' % (name, function)
            for function in sorted(names - rows)
            if not re.fullmatch(r'(load|store)\d*|choose_bits', function)]


def style_of(root, name):
    return house_rules(root, name) + foreign_vectors(root, name) + \
        untested_vectors(root, name) + package_rules(root, name) + \
        qapi_rules(root, name)


def check_style(root, tree, result):
    """One test a file."""
    names = [name for name in tracked(root)
             if not name.endswith(('.gz', '.patch'))]
    c_files = [name for name in names if C_FILE.match(name)]
    parts = [c_files[n:n + FILES_AT_ONCE]
             for n in range(0, len(c_files), FILES_AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = counted('checkpatch', pool.map(
            lambda part: checkpatch(root, tree, part), parts), len(parts))
    complaints = {name: wrong for part in found
                  for name, wrong in part.items()}
    for name in names:
        wrong = style_of(root, name) + complaints.get(name, [])
        if wrong:
            result.fail('style/' + name, '\n'.join(wrong))
        else:
            result.add(passed=1)
