# SPDX-License-Identifier: GPL-2.0-or-later
"""The edges of scripts/: where they may be and build, how they end.

scripts/setup runs here on a separate checkout with a QEMU and a ninja that
are a few lines of shell: nothing is downloaded, and what is on trial takes
seconds. All else, bash, apt's files and dpkg, is the machine's.
"""

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
HERE = os.path.join(ROOT, 'tests', 'functional')
SCRIPTS = os.path.join(ROOT, 'scripts')
sys.path.insert(0, SCRIPTS)

# pylint: disable=wrong-import-position
import lib_check
import lib_files
import lib_run
from blackhole_tile.testing import heed_control_c

OTHER_USER = 65534
TESTS = '    def test_it(self):\n'
INTERRUPTED = 130
LONGEST_SILENCE = 10            # s
STEPS = 20                      # of the fake build

VERSION = '10.0.2'
PATCH = '''--- a/README
+++ b/README
@@ -1 +1 @@
-before
+after
'''
CONFIGURE = '''#!/bin/sh
[ -z "$FAKE_CONFIGURE_FAILS" ] || { echo 'no glib here'; exit 1; }
touch build.ninja
'''
# Says how far it is as ninja does, FAKE_SECONDS for each of STEPS
NINJA = f'''#!/bin/bash
out=$2
trap 'exit 2' INT
echo $$ >>"$FAKE_PIDS"
for ((n = 1; n <= {STEPS}; n++)); do
    echo "[$n/{STEPS}] Compiling"
    sleep "${{FAKE_SECONDS:-0}}"
done
[ -z "$FAKE_BUILD_FAILS" ] || {{ echo 'x.c:1: error: no such thing'; exit 1; }}
touch "$out/qemu-system-riscv64"
'''
MESON = '#!/bin/sh\nmkdir -p "$2" && touch "$2/build.ninja"\n'
# What scripts/deb starts: ends by a signal before what it has started itself
DEB_TOOLS = {
    'ninja': '#!/bin/sh\ntouch "$2/qemu-system-riscv64"\n',
    'git': '''#!/bin/sh
case "$*" in
*archive*) exec tar -cf - -T /dev/null ;;
*) echo 0 ;;
esac
''',
    'dpkg-query': '''#!/bin/sh
for name in build-essential debhelper dh-python git; do
    echo "$name installed"
done
exec /usr/bin/dpkg-query "$@"
''',
    'dpkg-source': '#!/bin/sh\n',
    'dpkg-buildpackage': '''#!/bin/bash
bash -c 'trap "sleep 0.5; exit 1" INT TERM
         echo $$ $PPID >>"$FAKE_PIDS"
         for n in {1..3000}; do sleep 0.1; done' &
wait
''',
}
CHANGE_LOG = '''blackhole-tile (1.0-1) unstable; urgency=low

  * None.

 -- A <a@b>  Thu, 01 Jan 1970 00:00:00 +0000
'''
DF = '''#!/bin/sh
echo Filesystem 1048576-blocks Used Available Capacity Mounted
echo disk 1000 700 300 70% /
'''
APT = '#!/bin/sh\ntouch "$FAKE_APT"\nexit 1\n'
OS_RELEASES = {
    'ID=debian\nVERSION_CODENAME=trixie': 'debian',
    'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble': 'ubuntu',
    'ID=linuxmint\nID_LIKE="ubuntu debian"': 'ubuntu',
    'ID=raspbian\nID_LIKE=debian': 'raspbian',
    'ID=fedora\nID_LIKE="rhel centos"': '',
}


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(path, mode)


def executables():
    """The scripts that people start."""
    for name in sorted(os.listdir(SCRIPTS)):
        path = os.path.join(SCRIPTS, name)
        if os.path.isfile(path) and os.stat(path).st_mode & stat.S_IXUSR:
            yield name


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as file:
            return file.read().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


class Checkout(unittest.TestCase):
    """A checkout with a fake QEMU beside it."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        os.chmod(self.folder, 0o755)
        self.root = self.place('checkout')
        self.bin = os.path.join(self.folder, 'bin')
        self.pids = os.path.join(self.folder, 'pids')
        self.apt = os.path.join(self.folder, 'apt-was-called')
        self.tool('ninja', NINJA)
        self.tool('meson', MESON)
        qemu = os.path.join(self.folder, 'qemu')
        write(os.path.join(qemu, 'VERSION'), VERSION + '\n')
        write(os.path.join(qemu, 'README'), 'before\n')
        write(os.path.join(qemu, 'configure'), CONFIGURE, 0o755)
        for name in ('subprojects/keycodemapdb/meson.build',
                     'pc-bios/meson.build', 'include/hw/x', 'target/riscv/x',
                     'hw/x', 'qapi/x', 'tests/x', 'configs/devices/riscv64-softmmu/x',
                     'python/wheels/meson-1.5.0-py3-none-any.whl'):
            write(os.path.join(qemu, name), '')
        write(self.pids, '', 0o666)
        self.env = {**os.environ, 'QEMU_SRC': qemu, 'FAKE_PIDS': self.pids,
                    'FAKE_APT': self.apt, 'TMPDIR': self.folder,
                    'PATH': f'{self.bin}:{os.environ["PATH"]}'}
        for name in ('BUILD', 'TENSIX_BUILD', 'TENSIX_INSIDE'):
            self.env.pop(name, None)

    def place(self, *names):
        """A checkout below the folder of the test."""
        root = os.path.join(self.folder, *names)
        shutil.copytree(SCRIPTS, os.path.join(root, 'scripts'),
                        ignore=shutil.ignore_patterns('__pycache__'))
        write(os.path.join(root, 'patches', '0001-x.patch'), PATCH)
        for name in ('soc_descriptor.yaml', '1x2/soc_descriptor.yaml'):
            write(os.path.join(root, 'lib', name), '')
        return root

    def tool(self, name, text):
        write(os.path.join(self.bin, name), text, 0o755)

    def script(self, name='setup', root=None):
        return os.path.join(root or self.root, 'scripts', name)

    def run_it(self, *command, **env):
        return subprocess.run(command, env={**self.env, **env}, text=True,
                              stdin=subprocess.DEVNULL, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              cwd=self.folder, check=False)

    def check_ready(self, done, build=None):
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('ready in', done.stdout)
        build = build or os.path.join(self.root, 'build')
        self.assertTrue(os.path.exists(
            os.path.join(build, 'qemu-system-riscv64')), done.stdout)

    def check_refused(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)
        self.assertFalse(os.path.exists(self.apt), 'apt was called')


class Places(Checkout):
    """Where a checkout and its build may be."""

    def test_setup(self):
        self.check_ready(self.run_it(self.script()))
        with open(os.path.join(self.root, 'build/qemu-src/README'),
                  encoding='ascii') as file:
            self.assertEqual(file.read(), 'after\n')

    def test_links_to_scripts(self):
        for target in (self.script(), os.path.join('checkout/scripts/setup')):
            link = os.path.join(self.folder, 'link-to-setup')
            os.symlink(target, link)
            self.check_ready(self.run_it(link))
            os.remove(link)

    def test_checkout_is_a_link(self):
        link = os.path.join(self.folder, 'also')
        os.symlink(self.root, link)
        self.check_ready(self.run_it(os.path.join(link, 'scripts', 'setup')))

    def test_unfit_path(self):
        self.tool('apt-get', APT)
        for number, unfit in enumerate((' ', ',', ':', "'", '$', '#')):
            with self.subTest(unfit=unfit):
                root = self.place(f'{number}', f'my{unfit}projects')
                done = self.run_it(self.script(root=root))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(f'a folder with "{unfit}"', done.stdout)
                self.assertFalse(os.path.exists(self.apt), 'apt was called')
                self.assertFalse(os.path.exists(os.path.join(root, 'build')))
                done = self.run_it(self.script(),
                                   BUILD=os.path.join(self.folder, unfit))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(f'a folder with "{unfit}"', done.stdout)

    def test_fit_path(self):
        root = self.place('Ünïcode-1.0_~x@y+z=w', 'p')
        self.check_ready(self.run_it(self.script(root=root)),
                         os.path.join(root, 'build'))

    def tree(self):
        return sorted(os.path.join(folder, name)
                      for folder, _, names in os.walk(self.root)
                      for name in names)

    def read_only(self):
        """Makes the checkout read-only; what runs a command that feels it."""
        for folder, _, _ in os.walk(self.root):
            os.chmod(folder, 0o555)
        self.addCleanup(subprocess.run, ['chmod', '-R', 'u+w', self.root],
                        check=True)
        if os.geteuid():
            return []
        return ['setpriv', f'--reuid={OTHER_USER}', f'--regid={OTHER_USER}',
                '--clear-groups', '--inh-caps=-all']

    def test_read_only_is_said(self):
        done = self.run_it(*self.read_only(), self.script())
        self.check_refused(done, 'cannot be written', 'BUILD=DIR')

    def test_read_only_builds_elsewhere(self):
        before = self.tree()
        other = os.path.join(self.folder, 'other')
        os.mkdir(other)
        os.chmod(other, 0o777)
        prefix = self.read_only()
        for build in (f'{other}/absolute', 'other/relative'):
            with self.subTest(build=build):
                done = self.run_it(*prefix, self.script(), BUILD=build)
                self.check_ready(done, os.path.join(self.folder, build))
        self.assertEqual(self.tree(), before)

    def test_too_little_disk(self):
        self.tool('apt-get', APT)
        self.tool('df', DF)
        done = self.run_it(self.script())
        self.check_refused(done, '300 MB are free', 'BUILD=DIR')
        self.assertRegex(done.stdout, r'needs 1\d\d\d MB')
        done = self.run_it(self.script('check'))
        self.check_refused(done, '300 MB are free')


class Ends(Checkout):
    """How a run ends."""

    def begin(self, *command, **env):
        process = subprocess.Popen(
            command, env={**self.env, **env}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True, cwd=self.folder,
            preexec_fn=heed_control_c)
        self.addCleanup(self.clear, process)
        return process

    @staticmethod
    def clear(process):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.wait()

    def started(self, process):
        """The pids of the fake ninjas, once there is one."""
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            with open(self.pids, encoding='ascii') as file:
                pids = file.read().split()
            if pids:
                return pids
            time.sleep(0.05)
        return self.fail('the build does not begin: ' + process.stdout.read())

    def check_interrupted(self, process, program='setup'):
        start = time.monotonic()
        text = process.communicate(timeout=30)[0]
        self.assertLess(time.monotonic() - start, 5)
        self.assertEqual(process.returncode, INTERRUPTED, text)
        self.assertEqual(text.splitlines()[-1],
                         f'{program}: interrupted, run again to continue',
                         text)
        self.assertEqual(text.count('interrupted'), 1, text)
        with open(self.pids, encoding='ascii') as file:
            self.assertFalse(list(filter(alive, file.read().split())), text)

    def test_control_c(self):
        process = self.begin(self.script(), FAKE_SECONDS='0.5')
        self.started(process)
        os.killpg(process.pid, signal.SIGINT)
        self.check_interrupted(process)
        done = self.run_it(self.script())
        self.check_ready(done)
        self.assertIn('configure: done before', done.stdout)

    def test_signal_to_the_script_alone(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                write(self.pids, '')
                process = self.begin(self.script(), FAKE_SECONDS='0.5')
                self.started(process)
                process.send_signal(number)
                self.check_interrupted(process)

    def test_control_c_in_a_script_inside(self):
        for program in ('demo', 'check'):
            with self.subTest(program=program):
                write(self.pids, '')
                shutil.copytree(os.path.join(ROOT, 'python'),
                                os.path.join(self.root, 'python'),
                                dirs_exist_ok=True)
                process = self.begin(self.script(program), FAKE_SECONDS='0.5')
                self.started(process)
                os.killpg(process.pid, signal.SIGINT)
                self.check_interrupted(process, program)

    def test_signal_to_a_build_of_the_package(self):
        """What dpkg-buildpackage has started ends too."""
        for name, text in DEB_TOOLS.items():
            self.tool(name, text)
        write(os.path.join(self.root, 'debian', 'changelog'), CHANGE_LOG)
        os.mkdir(os.path.join(self.root, '.git'))
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                write(self.pids, '')
                process = self.begin(self.script('deb'), BUILD='')
                self.assertEqual(len(self.started(process)), 2)
                process.send_signal(number)
                self.check_interrupted(process, 'deb')

    def test_interrupted_copy_is_made_again(self):
        tree = os.path.join(self.root, 'build', 'qemu-src.new')
        write(os.path.join(tree, 'VERSION'), 'half of it')
        self.check_ready(self.run_it(self.script()))
        self.assertFalse(os.path.exists(tree))

    def test_progress(self):
        """Also what remains is reported."""
        process = self.begin(self.script(), FAKE_SECONDS='0.6')
        last, silence, lines = time.monotonic(), 0, []
        for line in process.stdout:
            silence = max(silence, time.monotonic() - last)
            last = time.monotonic()
            lines.append(line)
        text = ''.join(lines)
        self.assertEqual(process.wait(), 0, text)
        self.assertLess(silence, LONGEST_SILENCE, text)
        self.assertRegex(text, rf'setup: build: \d+ s, \d+ of {STEPS}\n')

    def test_failures_name_their_log(self):
        for name, log in (('CONFIGURE', 'configure'), ('BUILD', 'build')):
            with self.subTest(log=log):
                done = self.run_it(self.script(), **{f'FAKE_{name}_FAILS': '1'})
                self.assertEqual(done.returncode, 1, done.stdout)
                path = os.path.join(self.root, 'build', 'log', log + '.log')
                self.assertIn(f'the whole output is in {path}', done.stdout)
                self.assertTrue(os.path.exists(path))


class Steps(Checkout):
    """scripts/try-fresh, where the steps are a line each."""

    def steps(self, **bodies):
        for name in ('demo', 'check', 'deb'):
            write(self.script(name),
                  f'#!/bin/sh\n{bodies.get(name, "true")}\n', 0o755)

    def test_times_of_all(self):
        self.steps(demo='echo one; sleep 1.2', check='echo check $*')
        done = self.run_it(self.script('try-fresh'), 'demo', 'core', 'deb')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('\none\n', done.stdout)
        self.assertIn('\ncheck core\n', done.stdout)
        self.assertRegex(
            done.stdout, r'try-fresh: on .*, \d+ processors:\n'
            r' +[1-9]\d* s  demo\n +\d+ s  core\n +\d+ s  deb\n'
            r'try-fresh: PASS\n$')

    def test_the_first_that_fails_is_the_last(self):
        self.steps(check='exit 3', deb='echo never')
        done = self.run_it(self.script('try-fresh'), 'demo', 'check', 'deb')
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertNotIn('never', done.stdout)
        self.assertRegex(done.stdout, r' s  demo\n +\d+ s  check: ended with '
                         r'status 3\ntry-fresh: FAIL\n$')

    def package(self):
        """A .deb; its file is there between "apt-get install" and "purge"."""
        folder = os.path.join(self.folder, 'package')
        write(os.path.join(folder, 'DEBIAN', 'control'),
              'Package: no-such-tile\nVersion: 1\nArchitecture: all\n'
              'Maintainer: A <a@b>\nDescription: none\n')
        subprocess.run(['dpkg-deb', '--build', folder], check=True,
                       stdout=subprocess.DEVNULL)
        file = os.path.join(self.folder, 'its-file')
        self.tool('apt-get', f'''#!/bin/sh
case "$*" in
*" install "*.deb) touch {file} ;;
*" purge no-such-tile") [ -n "$FAKE_KEEPS" ] || rm {file} ;;
esac
''')
        self.tool('dpkg-query',
                  f'#!/bin/sh\n[ $1 = -L ] && echo / && echo {file}\n')
        write(os.path.join(self.root, 'debian', 'tests', 'one'),
              f'#!/bin/sh\ntest -e {file} && echo installed\n', 0o755)
        return folder + '.deb'

    def test_package(self):
        done = self.run_it(self.script('try-deb'), self.package())
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('\ninstalled\n', done.stdout)
        self.assertEqual(re.findall(r'^ +\d+ s  (.*)$', done.stdout, re.M),
                         ['package lists', 'install', 'one', 'remove'])
        self.assertTrue(done.stdout.endswith('try-deb: PASS\n'), done.stdout)

    def test_package_that_leaves_a_file(self):
        done = self.run_it(self.script('try-deb'), self.package(),
                           FAKE_KEEPS='yes')
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r'left over: /.*its-file\n')
        self.assertTrue(done.stdout.endswith('try-deb: FAIL\n'), done.stdout)

    def test_package_when_find_may_not_read_all(self):
        """Nor fails the script without a word if more is left than is shown."""
        package = self.package()
        for lines, status in (('', 0), ('/usr/left\n' * 30000, 1)):
            write(os.path.join(self.folder, 'found'), lines)
            self.tool('find', f'#!/bin/sh\ncat {self.folder}/found\n'
                              f'echo "/x: Permission denied" >&2\nexit 1\n')
            done = self.run_it(self.script('try-deb'), package)
            self.assertEqual(done.returncode, status, done.stdout)
            self.assertEqual(done.stdout.count('/usr/left'), 10 * status)
            self.assertTrue(done.stdout.endswith(
                f'try-deb: {"FAIL" if status else "PASS"}\n'), done.stdout)

    def test_wrong_words(self):
        self.steps(demo='echo never')
        done = self.run_it(self.script('try-fresh'), 'demo', 'dome')
        self.check_refused(done, 'no step dome')
        for words in ([], ['README'], ['a', 'b'], [self.pids]):
            done = self.run_it(self.script('try-deb'), *words)
            self.check_refused(done)


class Help(Checkout):
    def test_every_script(self):
        """Through a link, from elsewhere, with nothing built: help alone."""
        shutil.copytree(os.path.join(ROOT, 'python'),
                        os.path.join(self.root, 'python'))
        before = sorted(os.walk(self.root))
        for name in executables():
            for word in ('--help', '-h'):
                with self.subTest(name=name, word=word):
                    link = os.path.join(self.folder, 'link')
                    os.symlink(self.script(name), link)
                    done = self.run_it(link, word)
                    os.remove(link)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertIn(name, done.stdout)
                    self.assertGreater(len(done.stdout.splitlines()), 3)
        self.assertEqual(sorted(os.walk(self.root)), before)

    def test_behind_other_words(self):
        for name in ('demo', 'check', 'bench'):
            done = self.run_it(self.script(name), 'a', 'b', '--help')
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn(f'scripts/{name}', done.stdout)

    def test_stages(self):
        """The help of scripts/check names them."""
        done = self.run_it(self.script('check'), '--help')
        for stage in lib_check.STAGES:
            self.assertRegex(done.stdout, rf'[\s,]{stage.name}[\s,.]')


class Machines(Checkout):
    """What is taken for which distribution."""

    def ask(self, command, **env):
        done = self.run_it(
            'bash', '-c', 'set -euo pipefail; cd "$1"; . scripts/lib.sh; '
            '. scripts/lib-place.sh; . scripts/lib-apt.sh; ' + command, 'bash',
            self.root, **env)
        return done.returncode, done.stdout.strip()

    def release(self, text):
        path = os.path.join(self.folder, 'os-release')
        write(path, text + '\n')
        return path

    def test_distribution(self):
        for text, wanted in OS_RELEASES.items():
            with self.subTest(text=text):
                self.assertEqual(
                    self.ask('distribution', OS_RELEASE=self.release(text)),
                    (0, wanted))

    def test_source_of_debian_is_its_own_mirror(self):
        self.tool('apt-get', '#!/bin/sh\n'
                  'echo http://mirror/debian sid-updates main /no.gpg\n'
                  'echo http://others/ nodistro main /no.gpg\n'
                  'echo http://mirror/debian bookworm main /k.gpg\n')
        self.assertEqual(
            self.ask('source_line deb-src', OS_RELEASE=self.release(
                'ID=debian\nVERSION_CODENAME=bookworm')),
            (0, 'deb-src [signed-by=/k.gpg] http://mirror/debian trixie main'))

    def test_source_of_ubuntu_is_debian(self):
        """Signed by Debian, in lists that nothing is installed from."""
        ubuntu = self.release('ID=ubuntu\nID_LIKE=debian')
        self.assertEqual(
            self.ask('source_line deb-src', OS_RELEASE=ubuntu,
                     DEBIAN_MIRROR='http://mirror/debian'),
            (0, 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring'
                '.gpg] http://mirror/debian trixie main'))
        status, text = self.ask(
            'apt_install() { echo "install $*"; exit 3; }; '
            'DEBIAN_KEYRING=/none; source_prepare deb', OS_RELEASE=ubuntu,
            DEBIAN_MIRROR='http://mirror/debian')
        self.assertEqual((status, text), (3, 'install debian-archive-keyring'))
        for command in ('source_prepare deb', 'install_packages'):
            status, text = self.ask(f'unset QEMU_SRC; {command}',
                                    OS_RELEASE=ubuntu, DEBIAN_MIRROR='')
            self.assertEqual(status, 1)
            self.assertIn('name a mirror of Debian\'s archive as '
                          'DEBIAN_MIRROR=URL', text)
        status, text = self.ask('echo "${APT_OPTS[@]}"')
        self.assertEqual(status, 0)
        self.assertNotIn('apt/source/', text)

    def test_unknown_packages_are_named(self):
        self.tool('apt-cache', '#!/bin/sh\necho "Package: gcc"\nexit 100\n')
        status, text = self.ask(
            'mkdir -p "$LOG"; APT_READY=1; SUDO=(); apt_install gcc gcc-riscv')
        self.assertEqual(status, 1)
        self.assertIn('apt finds no package gcc-riscv:', text)

    def test_other_machines(self):
        self.tool('dpkg-query', '#!/bin/sh\n')
        status, text = self.ask('TOOLS="sh no-such-tool"; install_packages',
                                OS_RELEASE=self.release('ID=fedora'))
        self.assertEqual(status, 1)
        self.assertIn('by hand what is missing here: no-such-tool', text)

    def test_size_of_packages(self):
        self.tool('apt-get', '#!/bin/sh\necho "Need to get 25.0 MB/85.2 MB of '
                  'archives."\necho "After this operation, 1,204 MB of '
                  'additional disk space will be used."\nexit 1\n')
        self.tool('apt-cache', '#!/bin/sh\necho "Package: gcc"\n')
        self.tool('df', DF)
        status, text = self.ask('mkdir -p "$LOG"; APT_READY=1; SUDO=(); '
                                'apt_install gcc')
        self.assertEqual(status, 1)
        self.assertIn('installing gcc needs 1230 MB in /usr, 300 MB are free',
                      text)


class Compiler(unittest.TestCase):
    """What gcc 14 takes for errors of C are errors for all compilers."""

    FAULTS = {
        'implicit declaration': 'int f(void) { return nowhere(); }',
        'implicit int': 'static x; int f(void) { return x; }',
        'integer for pointer': 'char *f(void) { return 1 + 1; }',
        'another pointer': 'int *f(char *p) { return p; }',
        'no value': 'int f(void) { return; }',
    }

    def commands(self):
        """A compile command of the machine's sources, and of the core's."""
        path = os.path.join(lib_run.BUILD, 'qemu', 'compile_commands.json')
        with open(path, encoding='utf-8') as file:
            entries = json.load(file)
        for place in ('hw_tenstorrent_board', 'tensix_core.'):
            entry = next(e for e in entries if place in e['output'])
            words = shlex.split(entry['command'])
            source = words.index('-c') + 1
            yield place, [word for word in words[:source - 1]
                          if not word.startswith('-M')], entry['directory']

    def test_errors(self):
        for place, command, folder in self.commands():
            # what follows -o, -MQ and -MF is a file
            command = [word for word in command
                       if not word.endswith(('.o', '.d', '-o'))]
            for name, text in {**self.FAULTS, 'none': 'int f(void);'}.items():
                with self.subTest(place=place, name=name):
                    done = subprocess.run(
                        [*command, '-x', 'c', '-fsyntax-only', '-'],
                        cwd=folder, input=text + '\n', text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                        check=False)
                    self.assertEqual(done.returncode == 0, name == 'none',
                                     done.stdout)


class Stages(unittest.TestCase):
    """What scripts/check says while it runs and at its end."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def run_stage(self, code, **options):
        """A python with one stage, whose body is CODE."""
        program = (f'import sys; sys.path.insert(0, {SCRIPTS!r})\n'
                   'import lib_check, lib_run\n'
                   f'def stage(result):\n    {code}\n'
                   'lib_check.STAGES = [lib_check.Stage("one", "x", stage)]\n'
                   'sys.exit(lib_check.main())\n')
        os.makedirs(os.path.join(self.folder, 'log'), exist_ok=True)
        return subprocess.Popen(
            [sys.executable, '-B', '-c', program], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=heed_control_c,
            env={**os.environ, 'TENSIX_BUILD': self.folder}, **options)

    def test_skips_say_why_and_how(self):
        write(os.path.join(self.folder, 'test_it.py'), 'import unittest\n'
              'class It(unittest.TestCase):\n'
              '    @unittest.skip("no moon: wait for the night")\n'
              '    def test_moon(self):\n        pass\n'
              '    def test_sun(self):\n        pass\n')
        process = self.run_stage(
            f'lib_check.python_tests(result, {self.folder!r})')
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 0, text)
        self.assertIn('check: skipped: test_it.It.test_moon: no moon: wait for '
                      'the night\n', text)
        self.assertTrue(text.endswith('1 passed, 0 failed, 1 skipped\n'), text)

    def test_files_that_may_run_together(self):
        for name in ('a', 'b', 'c', 'alone'):
            write(os.path.join(self.folder, name), '')
        with mock.patch.multiple(lib_files, AT_A_TIME=2, ALONE={'alone'}):
            for running, name, may in (
                    ('', 'alone', True), ('', 'a', True), ('a', 'b', True),
                    ('a', 'alone', False), ('alone', 'a', False),
                    ('a b', 'c', False)):
                with self.subTest(running, name=name):
                    files = [lib_files.File(self.folder, word)
                             for word in [name, *running.split()]]
                    self.assertEqual(files[0].may_start(files[1:]), may)

    def test_files_that_are_named(self):
        for name in (*lib_files.ALONE, *lib_files.LONG):
            self.assertTrue(os.path.exists(os.path.join(HERE, name)), name)

    def test_the_longest_file_is_first(self):
        """By the log of its last run, else by how many tests it has, and how
        long each of them takes."""
        for name, text in (('few', TESTS * 2), ('many', TESTS * 9),
                           ('alone', TESTS * 99), ('known', TESTS),
                           ('ended', TESTS * 3), ('long', TESTS)):
            write(os.path.join(self.folder, f'{name}.py'), text)
        for name, text in (('known', 'Ran 1 test in 99.500s'),
                           ('ended', 'Terminated')):
            write(os.path.join(self.folder, f'{name}.log'), f'{text}\n')
        with mock.patch.multiple(lib_files, ALONE={'alone.py'},
                                 LONG={'long.py': 50}), \
             mock.patch('lib_run.LOG', self.folder):
            files = [lib_files.File(self.folder, name)
                     for name in sorted(os.listdir(self.folder))
                     if name.endswith('.py')]
        self.assertEqual([file.name[:-3] for file in lib_files.in_order(files)],
                         ['known', 'long', 'many', 'ended', 'few', 'alone'])

    def test_files_run_at_the_same_time(self):
        """Each of two waits for the other."""
        for name, other in 'ab', 'ba':
            write(os.path.join(self.folder, f'test_{name}.py'),
                  'import os, time, unittest\n'
                  'class It(unittest.TestCase):\n'
                  '    def test_it(self):\n'
                  f'        open({name!r}, "w").close()\n'
                  '        end = time.monotonic() + 20\n'
                  f'        while not os.path.exists({other!r}):\n'
                  '            self.assertLess(time.monotonic(), end)\n')
        process = self.run_stage(
            'import lib_files; lib_files.AT_A_TIME = 2; '
            f'lib_files.python_tests(result, {self.folder!r})')
        text = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 0, text)
        self.assertIn('check: time: one ', text)
        self.assertTrue(text.endswith('2 passed, 0 failed, 0 skipped\n'), text)

    def test_a_file_that_takes_too_long(self):
        write(os.path.join(self.folder, 'test_it.py'),
              'import time\ntime.sleep(60)\n')
        process = self.run_stage(
            'import lib_files; lib_files.FILE_SECONDS = 0.5; '
            f'lib_files.python_tests(result, {self.folder!r})')
        text = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, 1, text)
        self.assertIn('failed: test_it.py\ntime-out after 0.5 s', text)

    def test_skipped_points(self):
        test = {'name': 'a+b / unit', 'result': 'OK', 'stdout':
                'ok 1 - one\nok 2 - avx512 # SKIP none here: buy one\n'}
        self.assertEqual(lib_check.skips_of(test),
                         [('unit: avx512', 'none here: buy one')])
        test = {'name': 'bench', 'result': 'SKIP', 'stdout': 'x\nno avx512\n'}
        self.assertEqual(lib_check.skips_of(test), [('bench', 'no avx512')])
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            lib_check.show_skipped([('a', 'why'), ('b', 'why'), ('c', 'why'),
                                    ('d', 'why'), ('e', 'because')])
        self.assertEqual(said.getvalue(),
                         'check: skipped: a, b, c and 1 more: why\n'
                         'check: skipped: e: because\n')

    def test_failures_name_their_log(self):
        write(os.path.join(self.folder, 'test_bad.py'), 'import unittest\n'
              'class It(unittest.TestCase):\n'
              '    def test_it(self):\n        self.fail("so")\n')
        for code, log in (
                (f'lib_check.python_tests(result, {self.folder!r})',
                 'test_bad'),
                ('lib_run.need("thing", ["false"])', 'thing')):
            process = self.run_stage(code)
            text = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 1, text)
            path = os.path.join(self.folder, 'log', log + '.log')
            self.assertIn(f'the whole output is in {path}', text)

    def test_progress_and_control_c(self):
        process = self.run_stage(
            'lib_run.run("slow", ["sh", "-c", "echo [3/7] x; sleep 60"])',
            start_new_session=True)
        start = time.monotonic()
        lines = [process.stdout.readline() for _ in range(2)]
        self.assertLess(time.monotonic() - start, LONGEST_SILENCE)
        self.assertRegex(lines[1], r'check: slow: \d+ s, 3 of 7\n')
        os.killpg(process.pid, signal.SIGINT)
        text = process.communicate(timeout=10)[0]
        self.assertEqual(process.returncode, INTERRUPTED, text)
        self.assertEqual(text, 'check: interrupted, run again to continue\n')

    def test_progress_of_a_list(self):
        period, lib_run.PERIOD = lib_run.PERIOD, 0.05
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said):
                done = lib_run.counted('look', (time.sleep(0.1) or n
                                                for n in range(4)), 4)
        finally:
            lib_run.PERIOD = period
        self.assertEqual(done, [0, 1, 2, 3])
        self.assertRegex(said.getvalue(), r'check: look: \d+ s, [123] of 4\n')


if __name__ == '__main__':
    unittest.main()
