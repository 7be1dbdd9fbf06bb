// What set-up says of a machine, by the facts of real ones; and that it has installed nothing when it says
// so.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { repository } from './folders.mjs';
import { judgeMachine, type MachineFacts, machineFacts, osFields } from './machine.mjs';

// As the distributions ship them, the fields that say which it is.
const OS = {
  debian12:
    'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\nVERSION="12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\n',
  debian13:
    'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"\nVERSION_ID="13"\nVERSION="13 (trixie)"\nVERSION_CODENAME=trixie\nDEBIAN_VERSION_FULL=13.5\nID=debian\n',
  debianTesting: 'PRETTY_NAME="Debian GNU/Linux forky/sid"\nNAME="Debian GNU/Linux"\nVERSION_CODENAME=forky\nID=debian\n',
  debian11: 'PRETTY_NAME="Debian GNU/Linux 11 (bullseye)"\nNAME="Debian GNU/Linux"\nVERSION_ID="11"\nID=debian\n',
  ubuntu2204:
    'PRETTY_NAME="Ubuntu 22.04.5 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nVERSION="22.04.5 LTS (Jammy Jellyfish)"\nID=ubuntu\nID_LIKE=debian\nUBUNTU_CODENAME=jammy\n',
  ubuntu2404:
    'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nNAME="Ubuntu"\nVERSION_ID="24.04"\nVERSION="24.04.3 LTS (Noble Numbat)"\nID=ubuntu\nID_LIKE=debian\nUBUNTU_CODENAME=noble\n',
  mint22: 'NAME="Linux Mint"\nVERSION="22.1 (Xia)"\nID=linuxmint\nID_LIKE="ubuntu debian"\nPRETTY_NAME="Linux Mint 22.1"\nVERSION_ID="22.1"\n',
  fedora:
    'NAME="Fedora Linux"\nVERSION="43 (Workstation Edition)"\nRELEASE_TYPE=stable\nID=fedora\nVERSION_ID=43\nPRETTY_NAME="Fedora Linux 43 (Workstation Edition)"\n',
  arch: 'NAME="Arch Linux"\nPRETTY_NAME="Arch Linux"\nID=arch\nBUILD_ID=rolling\n',
  alpine: 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.22.1\nPRETTY_NAME="Alpine Linux v3.22"\n',
};

const disk = (path: string, device: number, freeGib: number) => ({ path, device, freeMib: freeGib * 1_024 });
const STEPS = ['npm packages', 'Debian packages', 'Debian tree', 'guest images', 'Temporal', 'dashboard'];
const good: MachineFacts = {
  platform: 'linux',
  arch: 'x64',
  node: '20.20.2',
  npm: '10.9.4',
  osRelease: OS.debian12,
  root: false,
  user: 'ada',
  memoryMib: 8_192,
  kvm: 'usable',
  restrictedNamespaces: false,
  forbiddenNamespaces: false,
  subuid: 'ada:100000:65536\n',
  steps: STEPS,
  disks: { repository: disk('/home/ada/svc', 1, 20), cache: disk('/home/ada/.cache/svc', 1, 20), system: disk('/var', 1, 20) },
};
const problemsOf = (change: Partial<MachineFacts>): string[] => judgeMachine({ ...good, ...change }).problems;
const notesOf = (change: Partial<MachineFacts>): string[] => judgeMachine({ ...good, ...change }).notes;

test('a machine that is tried has nothing to say', () => expect(judgeMachine(good)).toEqual({ problems: [], notes: [] }));

test.each(['debian13', 'debianTesting', 'ubuntu2404', 'mint22'] as const)('%s may go on, and hears that it was not tried', (name) => {
  expect(problemsOf({ osRelease: OS[name] })).toEqual([]);
  expect(notesOf({ osRelease: OS[name] })).toEqual([expect.stringContaining('was not tried')]);
});

test.each([
  [
    { osRelease: OS.fedora },
    /^This is Fedora Linux 43 \(Workstation Edition\), and set-up installs packages of Debian.*Use Debian 12 or 13 on x86-64.*virtual machine/,
  ],
  [{ osRelease: OS.arch }, /^This is Arch Linux, .*Use Debian 12 or 13/],
  [{ osRelease: OS.alpine }, /^This is Alpine Linux v3\.22, /],
  [{ osRelease: '' }, /^This is an unknown Linux, /],
  [{ osRelease: OS.debian11 }, /^Debian GNU\/Linux 11 \(bullseye\) is too old.*Use Debian 12 or 13/],
  [{ osRelease: OS.ubuntu2204 }, /^Ubuntu 22\.04\.5 LTS is too old/],
  [{ arch: 'arm64' }, /^This processor is arm64, and agents' machines need x86-64.*npm install -g \.\/svc-cli-VERSION\.tgz/],
  [{ platform: 'darwin', arch: 'arm64' }, /^This is macOS, and agents' machines need Linux.*Lima.*npm install -g \.\/svc-cli-VERSION\.tgz/],
  [{ platform: 'win32' }, /^This is Windows, .*WSL 2/],
  [{ npm: undefined }, /^npm is not installed.*sudo apt-get install npm/],
  [{ npm: '6.14.18' }, /^npm 6\.14\.18 is too old: version 9 or newer.*npm install -g npm@11/],
  [{ node: '18.20.4' }, /^Node 18\.20\.4 is too old: version 20 or newer.*nvm install 24/],
  [{ memoryMib: 1_990 }, /^This machine has 1\.9 GiB of memory, and 4 GiB are needed/],
  [{ restrictedNamespaces: true }, /^AppArmor .*sysctl -w kernel\.apparmor_restrict_unprivileged_userns=0/],
  [{ forbiddenNamespaces: true }, /sysctl -w kernel\.unprivileged_userns_clone=1/],
  [{ subuid: 'ben:100000:65536\n' }, /^ada has no range of user ids.*usermod --add-subuids 100000-165535 .* ada\.$/],
] as const)('%j: what is wrong, and the way on', (change, message) => expect(problemsOf(change)).toEqual([expect.stringMatching(message)]));

test('root needs no user namespace', () => {
  expect(problemsOf({ root: true, user: 'root', restrictedNamespaces: true, forbiddenNamespaces: true, subuid: '' })).toEqual([]);
});

test('all that is wrong is said at once', () => {
  expect(problemsOf({ npm: undefined, memoryMib: 1_024, restrictedNamespaces: true })).toHaveLength(3);
});

test('disks: what goes to the same one is added up, and what is done already needs nothing', () => {
  const one = { repository: disk('/r', 1, 6), cache: disk('/c', 1, 6), system: disk('/var', 1, 6) };
  expect(problemsOf({ disks: one })).toEqual([
    expect.stringMatching(/^The disk of \/r and \/var and \/c has 6\.0 GiB free, and 6\.6 GiB are needed.*SVC_CACHE_DIR/),
  ]);
  expect(problemsOf({ disks: { ...one, cache: disk('/c', 2, 6) } })).toEqual([]);
  expect(problemsOf({ disks: { ...one, cache: disk('/c', 2, 1) } })).toEqual([expect.stringMatching(/^The disk of \/c has 1\.0 GiB free/)]);
  expect(problemsOf({ disks: one, steps: ['dashboard'] })).toEqual([]);
});

test('KVM is no condition: where it is missing, or closed, the way to it is named', () => {
  expect(problemsOf({ kvm: 'absent' })).toEqual([]);
  expect(notesOf({ kvm: 'absent' })).toEqual([expect.stringMatching(/^There is no \/dev\/kvm.*no security boundary.*nested virtualization/)]);
  expect(notesOf({ kvm: 'forbidden' })).toEqual([expect.stringContaining('sudo usermod -aG kvm ada, then sign in again')]);
});

test('the facts of this machine are read', () => {
  const facts = machineFacts(process.env, { repository, cache: '/no/such/folder', steps: ['npm packages'] });
  expect(facts).toMatchObject({ platform: process.platform, node: process.versions.node, npm: expect.stringMatching(/^\d+\./) });
  expect(facts.memoryMib).toBeGreaterThan(256);
  expect(facts.disks.cache).toMatchObject({ path: '/no/such/folder', freeMib: expect.any(Number) });
  expect(osFields(facts.osRelease)['ID']).toBe(osFields(readFileSync('/etc/os-release', 'utf8'))['ID']);
});

test('on a machine that will not do, set-up says everything and installs nothing', () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-machine-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const folder of ['stack', 'host/microvm/images'])
    cpSync(join(repository, folder), join(dir, folder), { recursive: true, filter: (path) => !/\.(?:d\.m)?ts$/.test(path) });
  for (const file of ['package.json', 'package-lock.json', 'temporal-dev.yml']) cpSync(join(repository, file), join(dir, file));
  const [bin, called] = [join(dir, 'bin'), join(dir, 'called')];
  mkdirSync(bin);
  // Whatever set-up would call says so, and does nothing. This npm is that of Ubuntu 22.04.
  for (const name of ['npm', 'apt-get', 'apt-cache', 'dpkg', 'dpkg-query', 'sudo', 'mmdebstrap', 'unshare', 'python3', 'go'])
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> '${called}'\n[ "$*" = --version ] && echo 8.5.1\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:/bin`, HOME: dir, SVC_CACHE_DIR: join(dir, 'cache'), CI: 'true', TEMPORAL_ADDRESS: 'localhost:1' };
  const setUp = (more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [join(dir, 'stack/bootstrap.mjs'), 'setup'], { cwd: dir, encoding: 'utf8', env: { ...env, ...more } });
  const { status, stderr, stdout } = setUp();
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/Nothing was installed.*\n(?: {2}- .*\n)* {2}- npm 8\.5\.1 is too old/);
  expect(readFileSync(called, 'utf8')).toBe('npm --version\n');
  expect([existsSync(join(dir, 'node_modules')), existsSync(env.SVC_CACHE_DIR)]).toEqual([false, false]);
  // Who knows better goes on: the next thing that is called is apt's list of what is installed.
  expect(setUp({ SVC_ANY_MACHINE: 'true' }).stderr).toContain('Going on as SVC_ANY_MACHINE says');
  expect(readFileSync(called, 'utf8')).toContain('dpkg-query');
});
