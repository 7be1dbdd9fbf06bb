// What this machine must be, looked at before anything is fetched or installed: all that is wrong is said at
// once, each with the way on. Plain JavaScript without dependencies: it runs in a fresh clone.
// docs/operating.md has the systems and what each figure was measured from.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync, statfsSync } from 'node:fs';
import { totalmem, userInfo } from 'node:os';
import { dirname } from 'node:path';

const GIB = 1_024;
/**
 * The parts take 0.9 GiB, and the host keeps 1.5 at least for builds (1 GiB each) and agents (256 MiB). A
 * machine of 4 GiB has somewhat less.
 */
const LEAST_MEMORY_MIB = 3.5 * GIB;
/** npm 9 is what Debian 13 has; older ones were not tried. */
const LEAST_NPM = 9;
const LEAST_NODE = 20;

/** MiB that each step leaves on the disk, measured on Debian 12, with what it needs on the way. */
const STEP_MIB = {
  'npm packages': { at: 'repository', mib: 2_100 },
  'Debian packages': { at: 'system', mib: 750 },
  'Debian tree': { at: 'cache', mib: 450 },
  'guest images': { at: 'cache', mib: 1_150 },
  Temporal: { at: 'cache', mib: 250 },
  dashboard: { at: 'cache', mib: 50 },
};
/** Snapshots, databases, agents' images and logs of the first days. */
const RUNNING_MIB = 2 * GIB;

const DEBIAN = 'Use Debian 12 or 13 on x86-64: a server, or a virtual machine with 4 GiB of memory and 10 GiB of disk';

/** @param steps names of those that have something to do */
export function machineFacts(env, { repository, cache, steps }) {
  const places = { repository, cache, system: '/var' };
  const root = process.getuid?.() === 0;
  return {
    platform: process.platform,
    arch: process.arch,
    node: process.versions.node,
    npm: steps.includes('npm packages') ? npmVersion(env) : undefined,
    osRelease: read('/etc/os-release') ?? read('/usr/lib/os-release') ?? '',
    root,
    user: root ? 'root' : userInfo().username,
    memoryMib: Math.floor(memory() / 1_048_576),
    kvm: kvmOf('/dev/kvm'),
    restrictedNamespaces: read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')?.trim() === '1',
    forbiddenNamespaces: read('/proc/sys/kernel/unprivileged_userns_clone')?.trim() === '0',
    subuid: read('/etc/subuid') ?? '',
    steps,
    disks: Object.fromEntries(Object.entries(places).map(([name, path]) => [name, diskOf(path)])),
  };
}

/** What keeps the platform from working here, and what is good to know; a sentence or two each. */
export function judgeMachine(facts) {
  const elsewhere = systemProblem(facts);
  // On another system the rest is not what is wrong.
  const problems = elsewhere === undefined ? [...distributionProblems(facts), ...userProblems(facts), ...sizeProblems(facts)] : [elsewhere];
  const tool = toolProblems(facts);
  const notes = elsewhere === undefined ? [distributionNote(facts), kvmNote(facts)].filter((note) => note !== undefined) : [];
  return { problems: [...problems, ...(elsewhere === undefined ? tool : [])], notes };
}

function systemProblem({ platform, arch }) {
  const names = { darwin: 'macOS', win32: 'Windows', freebsd: 'FreeBSD' };
  const tool = 'The command line tool works here, with a platform that runs elsewhere: install the archive of a release, npm install -g ./svc-cli-VERSION.tgz.';
  if (platform !== 'linux') {
    const ways = {
      darwin: `${DEBIAN}, for example by Lima: limactl start --arch x86_64 template://debian-12 (emulated and slow on Apple silicon; not tried)`,
      win32: `${DEBIAN}, for example by WSL 2: wsl --install Debian (not tried)`,
    };
    return `This is ${names[platform] ?? platform}, and agents' machines need Linux. ${ways[platform] ?? DEBIAN}. ${tool}`;
  }
  if (arch !== 'x64')
    return `This processor is ${arch}, and agents' machines need x86-64 (amd64): their kernel, base image and tools are made for it. ${DEBIAN} (under emulation it is slow; not tried). ${tool}`;
  return undefined;
}

/** The fields of an os-release file. */
export function osFields(text) {
  const fields = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z_]+)=(.*)$/.exec(line.trim()) ?? [];
    return name === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, '$2')]];
  });
  return Object.fromEntries(fields);
}

/**
 * Of a distribution that is made of another the number is its own: only Debian's and Ubuntu's are compared.
 */
function distributionOf(text) {
  const { ID: id = '', ID_LIKE: like = '', VERSION_ID: version, PRETTY_NAME: name = id || 'an unknown Linux' } = osFields(text);
  const family = [id, ...like.split(' ')];
  const kind = family.includes('ubuntu') ? 'ubuntu' : family.includes('debian') ? 'debian' : 'other';
  return { kind, name, own: id === kind, version: version === undefined ? undefined : Number(version) };
}

function distributionProblems({ osRelease }) {
  const { kind, name, own, version } = distributionOf(osRelease);
  if (kind === 'other')
    return [`This is ${name}, and set-up installs packages of Debian (apt, dpkg). ${DEBIAN}; with nested virtualization its agents' machines have KVM.`];
  const least = { debian: 12, ubuntu: 24.04 }[kind];
  if (own && version !== undefined && version < least) return [`${name} is too old: its QEMU and erofs-utils are older than any that was tried. ${DEBIAN}.`];
  return [];
}

function distributionNote({ osRelease }) {
  const { kind, name, own, version } = distributionOf(osRelease);
  if (kind === 'debian' && own && version === 12) return undefined;
  return `${name} was not tried: the platform is tested on Debian 12. Where it does not work, please say so.`;
}

/** An ordinary user makes images in a user namespace. */
function userProblems({ root, user, restrictedNamespaces, forbiddenNamespaces, subuid }) {
  if (root) return [];
  const persistent = (setting) => `sudo sysctl -w ${setting} (for good: echo '${setting}' | sudo tee /etc/sysctl.d/60-svc.conf), or run set-up as root`;
  return [
    ...(restrictedNamespaces
      ? [
          `AppArmor keeps ordinary users from user namespaces, in which guest images are made. Run: ${persistent('kernel.apparmor_restrict_unprivileged_userns=0')}.`,
        ]
      : []),
    ...(forbiddenNamespaces
      ? [`Ordinary users may make no user namespaces, in which guest images are made. Run: ${persistent('kernel.unprivileged_userns_clone=1')}.`]
      : []),
    ...(subuid.split('\n').some((line) => line.startsWith(`${user}:`))
      ? []
      : [`${user} has no range of user ids, which guest images need. Run: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ${user}.`]),
  ];
}

function sizeProblems({ memoryMib, disks, steps }) {
  const needs = new Map();
  const wanted = steps.flatMap((name) => (STEP_MIB[name] ? [STEP_MIB[name]] : []));
  for (const { at, mib } of [...wanted, ...(wanted.length > 0 ? [{ at: 'repository', mib: RUNNING_MIB }] : [])]) {
    const { device, path, freeMib } = disks[at];
    const known = needs.get(device) ?? { mib: 0, freeMib, paths: [] };
    needs.set(device, { ...known, mib: known.mib + mib, paths: [...new Set([...known.paths, path])] });
  }
  const full = [...needs.values()].filter(({ mib, freeMib }) => freeMib < mib);
  return [
    ...full.map(
      ({ mib, freeMib, paths }) =>
        `The disk of ${paths.join(' and ')} has ${gib(freeMib)} GiB free, and ${gib(mib)} GiB are needed. Free some (df -h shows where), or name a folder on another disk: SVC_CACHE_DIR for what set-up makes, SVC_STATE_DIR for data.`,
    ),
    ...(memoryMib < LEAST_MEMORY_MIB
      ? [
          `This machine has ${gib(memoryMib)} GiB of memory, and 4 GiB are needed: the platform takes 1, each build 1, each agent 0.25. Give it more, or use another.`,
        ]
      : []),
  ];
}

function toolProblems({ node, npm, steps }) {
  const wanted = 'Install Node 24, which brings npm: https://nodejs.org/en/download, or nvm install 24.';
  const old = (version, least) => Number.parseInt(version, 10) < least;
  const problems = old(node, LEAST_NODE) ? [`Node ${node} is too old: version ${LEAST_NODE} or newer is needed. ${wanted}`] : [];
  if (!steps.includes('npm packages')) return problems;
  if (npm === undefined)
    return [...problems, `npm is not installed, or does not run. ${wanted} Debian has it in a package of its own: sudo apt-get install npm.`];
  return old(npm, LEAST_NPM)
    ? [...problems, `npm ${npm} is too old: version ${LEAST_NPM} or newer is needed. Run: npm install -g npm@11. ${wanted}`]
    : problems;
}

function kvmNote({ kvm, user }) {
  const otherwise = 'Without KVM agents run in emulated machines, which are slow and no security boundary (docs/operating.md, "Machines without KVM").';
  if (kvm === 'absent')
    return `There is no /dev/kvm. ${otherwise} Where the processor has it, switch it on in the firmware, load the module (sudo modprobe kvm_intel or kvm_amd), or allow nested virtualization.`;
  return kvm === 'forbidden' ? `${user} may not use /dev/kvm. Run: sudo usermod -aG kvm ${user}, then sign in again. ${otherwise}` : undefined;
}

const gib = (mib) => (mib / GIB).toFixed(1);

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function npmVersion(env) {
  const { status, stdout } = spawnSync('npm', ['--version'], { env, encoding: 'utf8' });
  return status === 0 ? stdout.trim().split('\n').at(-1) : undefined;
}

/** Of a container, what it may take. */
function memory() {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function kvmOf(device) {
  if (!existsSync(device)) return 'absent';
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return 'usable';
  } catch {
    return 'forbidden';
  }
}

/** For a folder that does not exist yet: the disk of the nearest one above it. */
function diskOf(path) {
  const there = existsSync(path) ? path : undefined;
  if (there === undefined) return { ...diskOf(dirname(path)), path };
  const { bavail, bsize } = statfsSync(there);
  return { path, device: statSync(there).dev, freeMib: Math.floor((bavail * bsize) / 1_048_576) };
}
