// How the Debian trees are made that guests' disks are packed of. Plain JavaScript: set-up makes the first
// one while npm still fetches what else it needs.
import { basename } from 'node:path';
import { hashOf } from './hash.mjs';

const SUITE = 'bookworm';
/** libatomic1: releases of Node from 25 on link it. */
const INCLUDE = ['ca-certificates', 'libatomic1', 'libstdc++6', 'python3', 'python3.11-venv', 'usr-is-merged'];
const RECIPE = 'base-2';

/**
 * pip as the package python3-pip has it, without what that package wants besides (setuptools, wheel,
 * distutils); and leave to use it: there is no other owner of this Python's packages in a guest.
 */
const PIP = `chroot "$1" sh -ec 'cd /usr/lib/python3/dist-packages
python3 -m zipfile -e /usr/share/python-wheels/pip-*.whl .
rm -f /usr/lib/python3.11/EXTERNALLY-MANAGED
printf "#!/usr/bin/python3\\nimport sys\\nfrom pip._internal.cli.main import main\\nsys.exit(main())\\n" > /usr/bin/pip3
chmod 755 /usr/bin/pip3; ln -sf pip3 /usr/bin/pip; ln -sf python3 /usr/bin/python
# Files in our images have no time, by which compiled Python is otherwise checked against its source.
PYTHONHASHSEED=0 python3 -m compileall -q -f --invalidation-mode unchecked-hash /usr/lib/python3.11 /usr/lib/python3 || true'`;

/**
 * Essential packages bring usrmerge, which brings all of Perl; its empty stand-in does when the tree is made.
 */
const WITHOUT_PERL = `chroot "$1" apt-get -qq -y purge usrmerge perl "libperl5*" "perl-modules*" libfile-find-rule-perl libnumber-compare-perl libtext-glob-perl`;
export const debianRecipe = { name: 'debian', packages: INCLUDE, hooks: [WITHOUT_PERL, PIP] };

export function debianTree({ debian }, recipe = debianRecipe) {
  const of = recipe.over === undefined ? debian : basename(recipe.over);
  return `${recipe.name}-${hashOf(RECIPE, SUITE, ...(of === undefined ? [] : [of]), ...recipe.packages, ...recipe.hooks)}.tar`;
}

export function debianCommand(path, recipe, work) {
  const mode = work === undefined ? '--mode=unshare' : '--mode=root';
  const hooks = recipe.hooks.map(atTheEnd);
  const args = [mode, '--format=tar', ...(recipe.over === undefined ? wholeTree(recipe) : additions(recipe, recipe.over)), ...hooks, SUITE, path];
  if (work === undefined) return { command: 'mmdebstrap', args, env: {} };
  // In mounts of its own: it mounts /proc, /sys and /dev below its folder, and these must be gone before a
  // program deletes the folder.
  return { command: 'unshare', args: ['--mount', '--', 'mmdebstrap', ...args], env: { TMPDIR: work } };
}

const NOT_INSTALLED = ['man', 'doc', 'locale', 'info', 'lintian'].map((folder) => `path-exclude=/usr/share/${folder}/*`);
const atTheEnd = (line) => `--customize-hook=${line}`;

function wholeTree({ packages }) {
  return ['--variant=minbase', `--include=${packages.join(',')}`, ...NOT_INSTALLED.map((option) => `--dpkgopt=${option}`)];
}

function additions({ packages }, over) {
  const options = ['-qq', '-y', '--no-install-recommends', ...NOT_INSTALLED.map((option) => `-o 'Dpkg::Options::=--${option}'`)];
  const install = `chroot "$1" env DEBIAN_FRONTEND=noninteractive apt-get ${options.join(' ')} install ${packages.join(' ')}`;
  return ['--variant=custom', `--setup-hook=tar -xf '${over.replaceAll("'", String.raw`'\''`)}' -C "$1"`, atTheEnd(install)];
}
