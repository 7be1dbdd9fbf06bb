// What the agent is built from besides its own source.
import { LOCK_FILES, lockedPackages } from '../locked.ts';
import { type ReviewedProject, written } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

const base = (path: string): string => path.split('/').at(-1) ?? path;
/** A folder that an SDK or another's package was copied into. */
const isVendored = (path: string): boolean => /(?:^|\/)(?:vendor|node_modules|third_party)\//.test(path);

function hasNpmDependencies({ files }: ReviewedProject): boolean {
  const manifest = files.find(({ path }) => path === 'package.json');
  try {
    const parsed: unknown = JSON.parse(manifest?.lines.join('\n') ?? '{}');
    const dependencies: unknown = Object(parsed).dependencies;
    return Object.keys(Object(dependencies)).some((name) => name !== '@svc/sdk');
  } catch {
    return false;
  }
}

export const lockFile: ReviewRule = {
  id: 'lock-file',
  *find(project) {
    const lock = project.paths.find((path) => !isVendored(path) && LOCK_FILES.includes(base(path)));
    if (lock === undefined) {
      if (hasNpmDependencies(project)) {
        const message =
          'package.json names dependencies, and no lock file fixes their versions: two builds of this source differ. Add the lock file of your package manager';
        yield { path: 'package.json', line: 1, severity: 'warning', title: 'No lock file', message };
      }
      return;
    }
    const days = project.lockSince ? Math.floor((project.now.getTime() - project.lockSince.getTime()) / 86_400_000) : 0;
    if (days < 180) return;
    // In steps: the finding stays the same for three months.
    const message = `The versions in ${lock} have not changed for more than ${Math.floor(days / 90) * 90} days: update the dependencies, which brings their security fixes`;
    yield { path: lock, line: 1, severity: 'info', title: 'Old lock file', message };
  },
};

const FLOATING = /^\s*"(?!version|name|node|npm|types?|main)([@a-z][^"]{0,200})"\s*:\s*"(\*|latest|next|(?:git\+|git:|github:|https?:|ssh:)[^"]*)"/;
const PINNED_COMMIT = /#[0-9a-f]{40}$/;
const PY_FLOATING = /^\s*(?:-e\s+)?(?:git\+|https?:\/\/)\S+/;

export const floatingDependency: ReviewRule = {
  id: 'floating-dependency',
  *find(project) {
    const manifests = written(project).filter(({ path }) => !isVendored(path) && ['package.json', 'requirements.txt'].includes(base(path)));
    yield* perLine(manifests, (line, { path }) => {
      const [, name, version] = FLOATING.exec(line) ?? [];
      const floats =
        base(path) === 'package.json' ? version !== undefined && !PINNED_COMMIT.test(version) : PY_FLOATING.test(line) && !/@[0-9a-f]{40}\b/.test(line);
      if (!floats) return undefined;
      const message = `${name ?? 'This dependency'} is whatever is at its address when the agent is built: name a version, or a commit by its 40 digits`;
      return { severity: 'warning', title: 'Dependency without a version', message };
    });
  },
};

const maxAdvisories = 50;

/** Of the message that the rule below writes; null: it is of another rule. */
export function advisoryOf(message: string): string | null {
  return /^\S+ \S+ has ([^\s:]+)[ :]/.exec(message)?.[1] ?? null;
}

export const knownAdvisory: ReviewRule = {
  id: 'known-advisory',
  *find({ files, advisories }) {
    if (!advisories) return;
    const reportedKeys = new Set<string>();
    for (const { path, line, ...locked } of lockedPackages(files)) {
      for (const { id, summary, fixed, severe } of advisories.of(locked)) {
        const key = `${id} ${locked.name} ${locked.version}`;
        if (reportedKeys.has(key) || reportedKeys.size >= maxAdvisories) continue;
        reportedKeys.add(key);
        const remedy = fixed === undefined ? 'no version without it is known: replace the package' : `update to ${fixed} or later`;
        const message = `${locked.name} ${locked.version} has ${id}${summary === '' ? '' : ` (${summary})`}: ${remedy}`;
        yield { path, line, severity: severe ? 'critical' : 'warning', title: 'Known advisory', message };
      }
    }
  },
};
