# SPDX-License-Identifier: GPL-2.0-or-later
"""What surrounds the code: one version everywhere, the Debian package's needs,
VS Code's tasks, the devcontainer, completion for bash."""

import glob
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import unittest

from blackhole_tile.testing import BUILD, ROOT, Tile, heed_control_c

EXAMPLE = os.path.join(ROOT, 'examples', 'add')
# Names of the published schemas: of VS Code's tasks and launch configurations with
# cpptools' debugger cppdbg, of development containers
TASK_NAMES = {'label', 'detail', 'type', 'command', 'args', 'group',
              'isBackground', 'problemMatcher'}
LAUNCH_NAMES = {'name', 'type', 'request', 'program', 'preLaunchTask', 'cwd',
                'MIMode', 'miDebuggerPath', 'miDebuggerServerAddress',
                'useExtendedRemote', 'stopAtConnect', 'setupCommands',
                'postRemoteConnectCommands'}
STEP_NAMES = {'description', 'text', 'ignoreFailures'}
CONTAINER_NAMES = {'name', 'image', 'onCreateCommand', 'postCreateCommand',
                   'remoteUser', 'customizations'}
FOLDERS = {'${workspaceFolder}': ROOT, '${fileDirname}': EXAMPLE}


def read(*path):
    with open(os.path.join(ROOT, *path), encoding='utf-8') as file:
        return file.read()


def run(command, **options):
    return subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                          text=True, stdout=subprocess.PIPE, timeout=120,
                          stderr=subprocess.STDOUT, check=False, **options)


class Version(unittest.TestCase):
    version = read('hw', 'tenstorrent', 'VERSION').strip()

    def test_is_one(self):
        self.assertRegex(self.version, r'^\d+\.\d+\.\d+$')

    def test_of_the_machine(self):
        with Tile(stopped=True) as tile:
            self.assertEqual(tile.qmp('qom-get', path='/machine',
                                      property='version'), self.version)

    def test_of_the_change_log(self):
        newest = re.search(r'^## (\S+)', read('CHANGELOG.md'), re.M).group(1)
        self.assertEqual(newest, self.version)

    def test_of_the_debian_package(self):
        newest = re.match(r'blackhole-tile \((\S+)-\d+\)',
                          read('debian', 'changelog')).group(1)
        self.assertEqual(newest, self.version)

    def test_tag_of_a_release(self):
        """A tag here names the version of its commit."""
        if not (shutil.which('git') and
                os.path.exists(os.path.join(ROOT, '.git'))):
            self.skipTest('no git, or no clone: there are no tags')
        tags = run(['git', 'tag', '--points-at', 'HEAD', '--list', 'v*'])
        if tags.returncode == 0:
            self.assertIn(tags.stdout.split(), ([], ['v' + self.version]))


class DebianPackage(unittest.TestCase):
    def test_builds_where_setup_has_nothing_to_install(self):
        packages = re.search(r'^PACKAGES="([^"]*)"', read('scripts/lib-apt.sh'),
                             re.M).group(1).split()
        needs = re.search(r'^Build-Depends:(.*(?:\n .*)*)',
                          read('debian', 'control'), re.M).group(1)
        needs = {re.sub(r'\(.*\)', '', name).strip()
                 for name in needs.split(',')}
        self.assertGreater(len(packages), 10)
        self.assertLessEqual(set(packages), needs)


def patch_names(*folder):
    return sorted(name[:-6] for name in os.listdir(
        os.path.join(ROOT, 'patches', *folder)) if name.endswith('.patch'))


class Releases(unittest.TestCase):
    """scripts/try-qemu, and the page about it."""

    source = os.path.join(BUILD, 'qemu-src.orig')

    def series(self):
        """Names of the patches for the release that is built: one without
        hunks is not needed there."""
        with open(os.path.join(self.source, 'VERSION'), encoding='ascii') as f:
            release = '.'.join(f.read().split('.')[:2])
        names = set(patch_names())
        for name in patch_names(release) if release != '10.0' else ():
            if '\n--- ' not in read('patches', release, name + '.patch'):
                names.remove(name)
        return names

    def test_patches_apply_to_the_source_that_is_built(self):
        done = run(['scripts/try-qemu', self.source])
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = re.findall(r'^(\S+)\.patch +(applies|moved)$', done.stdout, re.M)
        self.assertEqual({name for name, _ in lines}, self.series())

    def test_what_does_not_apply_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(os.path.join(self.source, 'VERSION'), folder)
            shutil.copy(os.path.join(self.source, 'configure'), folder)
            shutil.copytree(os.path.join(self.source, 'hw'),
                            os.path.join(folder, 'hw'))
            with open(os.path.join(folder, 'hw', 'meson.build'), 'w',
                      encoding='utf-8'):
                pass
            done = run(['scripts/try-qemu', folder])
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, r'24-overlay\.patch +fails: .*'
                             r'hw/meson\.build')
            self.assertFalse(glob.glob(folder + '/**/*.rej', recursive=True))

    def test_no_tree(self):
        done = run(['scripts/try-qemu', 'docs'])
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn('docs is no QEMU source tree', done.stdout)

    def test_page_has_each_patch(self):
        listed = re.findall(r'^\| `(\S+)` \| (.*?) \|',
                            read('patches', 'README.md'), re.M)
        self.assertEqual([name for name, _ in listed], patch_names())
        differ = [name for name, state in listed if state != 'same']
        self.assertEqual(differ, patch_names('10.2'))
        unneeded = [name for name, state in listed if state == 'not needed']
        self.assertEqual(unneeded, [
            name for name in differ
            if '\n--- ' not in read('patches', '10.2', name + '.patch')])


class VisualStudioCode(unittest.TestCase):
    tasks = {task['label'].split(': ')[1]: task for task in
             json.loads(read('examples', 'vscode', 'tasks.json'))['tasks']}

    @staticmethod
    def command(task):
        words = [task['command'], *task.get('args', [])]
        for variable, folder in FOLDERS.items():
            words = [word.replace(variable, folder) for word in words]
        return words

    def test_commands_exist(self):
        self.assertEqual(set(self.tasks), {'set up', 'run', 'wait for gdb',
                                           'check'})
        for task in self.tasks.values():
            command = self.command(task)
            self.assertTrue(os.access(command[0], os.X_OK), command)
            self.assertNotIn('$', ' '.join(command))

    def test_names_are_those_of_the_schemas(self):
        for task in self.tasks.values():
            self.assertLessEqual(set(task), TASK_NAMES)
        launch, = json.loads(read('examples', 'vscode',
                                  'launch.json'))['configurations']
        self.assertLessEqual(set(launch), LAUNCH_NAMES)
        for step in (launch['setupCommands'] +
                     launch['postRemoteConnectCommands']):
            self.assertLessEqual(set(step), STEP_NAMES)

    def test_run(self):
        done = run(self.command(self.tasks['run']))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_wait_for_gdb(self):
        """VS Code continues when the task has printed endsPattern."""
        task = self.tasks['wait for gdb']
        ends = task['problemMatcher']['background']['endsPattern']
        command = self.command(task)
        where = re.search(r'--gdb-at=unix:(.*?),', ' '.join(command))[1]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL,
                              preexec_fn=heed_control_c) as process:
            try:
                line = process.stdout.readline()
                self.assertRegex(line, ends)
                self.assertRegex(line, task['problemMatcher']['background'][
                    'beginsPattern'])
                self.assertTrue(stat.S_ISSOCK(os.stat(where).st_mode))
                self.assertEqual(
                    os.stat(os.path.dirname(where)).st_mode & 0o77, 0)
            finally:
                process.send_signal(signal.SIGINT)
                process.stdout.read()
        self.assertEqual(process.returncode, 130)

    def test_launch_starts_a_task(self):
        launch, = json.loads(read('examples', 'vscode',
                                  'launch.json'))['configurations']
        task = self.tasks[launch['preLaunchTask'].split(': ')[1]]
        self.assertIn(f"--gdb-at=unix:{launch['miDebuggerServerAddress']},",
                      ' '.join(task['args']))


class TryFresh(unittest.TestCase):
    def test_its_tests_are_there(self):
        """Those of the tutorial are named in the script."""
        names = re.findall(r'\b([A-Z]\w+)\.(test_\w+)',
                           read('scripts', 'try-fresh'))
        file = read('tests', 'functional', 'test_tutorial.py')
        self.assertGreater(len(names), 1)
        for in_class, name in names:
            self.assertRegex(
                file, rf'(?s)\nclass {in_class}\(((?!\nclass ).)*def {name}\(')


class DevContainer(unittest.TestCase):
    def test_its_commands_name_what_exists(self):
        container = json.loads(read('.devcontainer', 'devcontainer.json'))
        command = container['postCreateCommand']
        for path in re.findall(r'(?:scripts|examples)/\S+', command):
            self.assertTrue(glob.glob(os.path.join(ROOT, path)), path)
        self.assertEqual(container['image'], 'debian:trixie')
        self.assertLessEqual(set(container), CONTAINER_NAMES)


class Completion(unittest.TestCase):
    QEMU = os.path.relpath(os.path.join(BUILD, 'qemu-system-riscv64'), ROOT)

    def completions(self, line):
        text = ('set -u; . completions/blackhole-tile; COMP_LINE=$1; '
                'COMP_POINT=${#1}; _blackhole_tile "${1%% *}"; '
                'printf "%s\\n" "${COMPREPLY[@]}"')
        done = run(['bash', '--norc', '-c', text, 'bash', line])
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.split()

    def test_options_of_scripts(self):
        self.assertEqual(self.completions('scripts/run --ex'), ['--expect'])
        self.assertIn('--format', self.completions('scripts/timeline a --fo'))
        self.assertEqual(self.completions('scripts/check core'),
                         ['core', 'core-asan'])

    def test_files(self):
        self.assertEqual(self.completions('scripts/run --brisc=READ'),
                         ['README.md'])
        self.assertEqual(self.completions('scripts/run exam'), ['examples/'])

    def test_options_of_the_machine(self):
        start = f'{self.QEMU} -M blackhole-tile,'
        for typed, offered in (
                ('haz', ['blackhole-tile,hazards=']),
                ('hazards=', ['on', 'off']),
                ('hazards=on,on-v', ['on,on-violation=']),
                ('on-violation=s', ['stop']),
                ('brisc=READ', ['README.md']),
                ('timeline=READ', ['README.md']),
                ('no-such=', []), ('kernel', [])):
            self.assertEqual(self.completions(start + typed), offered, typed)

    def test_values_are_those_of_the_machine(self):
        """Each value that is offered is accepted."""
        for option in ('on-violation', 'on-deadlock', 'leaks', 'schedule'):
            values = self.completions(
                f'{self.QEMU} -M blackhole-tile,{option}=')
            self.assertGreater(len(values), 1)
            for value in values:
                word = value + '7' if value.endswith('=') else value
                with Tile(machine=f'{option}={word}', stopped=True) as tile:
                    self.assertEqual(tile.qmp('query-status')['running'],
                                     False)

    def test_every_script_is_known(self):
        text = read('completions', 'blackhole-tile')
        known = re.search(r'scripts/\{([^}]*)\}', text).group(1).split(',')
        with_options = {
            name for name in os.listdir(os.path.join(ROOT, 'scripts'))
            if os.access(os.path.join(ROOT, 'scripts', name), os.X_OK)
            and not os.path.isdir(os.path.join(ROOT, 'scripts', name))}
        makers = {'export-patch', 'instruction-list', 'silicon-list'}
        self.assertLessEqual(with_options - makers, set(known))


if __name__ == '__main__':
    unittest.main()
