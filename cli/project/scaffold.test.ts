// Every project that svc init can write: its svc.yaml reads, its entry and its frontend are where it says,
// and its sources parse.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FRONTEND_AUTHS, FRONTEND_MODES } from '#contract/states.ts';
import { templateParts } from '#contract/wire/template.ts';
import { cites } from '#test/spec/verifies.ts';
import { frontendOf } from './frontend.ts';
import { entryOf, type Project, readProject } from './read.ts';
import { FRONTENDS, LANGUAGES, projectFiles, type Scaffold } from './scaffold.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-init-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** As svc init, without the SDK it brings along. */
async function written(of: Omit<Scaffold, 'target' | 'description'>): Promise<{ project: Project; files: Record<string, string> }> {
  const files = await projectFiles({ ...of, description: 'Says "hi": it\'s {{ready}}' });
  const folder = join(home, of.name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return { project: await readProject(folder), files };
}

const pages = FRONTENDS.flatMap((kind) => FRONTEND_MODES.filter((mode) => kind !== 'static' || mode === 'static').map((mode) => ({ kind, mode })));

describe.each(LANGUAGES)('%s', (language) => {
  test.each(pages)('with a $kind page, $mode, for everyone it may be for', cites('cli.init'), async ({ kind, mode }) => {
    for (const auth of FRONTEND_AUTHS) {
      const name = `${language}-${kind}-${mode === 'static' ? 's' : 'r'}-${auth}`;
      const { project, files } = await written({ name, language, frontend: { kind, auth, mode } });
      expect(entryOf(project).language).toBe(language);
      expect(frontendOf(project)).toMatchObject({ auth, mount: '/app', ...(mode === 'server-rendered' && { mode }) });
      const ref = project.manifest.template?.ref ?? '';
      expect([ref, templateParts(ref)]).toEqual([`${language}+${kind}${mode === 'static' ? '' : '-server'}`, expect.any(Array)]);
      await expectSources(files);
    }
  });
});

test.each(LANGUAGES)('%s without a page', async (language) => {
  const { project } = await written({ name: `plain-${language}`, language });
  expect([entryOf(project).language, project.manifest.frontend]).toEqual([language, undefined]);
});

/** No place of a template is left, and what is JSON or code reads as that. */
async function expectSources(files: Readonly<Record<string, string>>): Promise<void> {
  const ofPage = Object.entries(files).filter(([path]) => path.startsWith('frontend/'));
  expect(ofPage.length).toBeGreaterThan(2);
  for (const [path, text] of ofPage) {
    expect(text, path).not.toMatch(/\{\{(?:name|Class|description)\}\}/);
    if (path.endsWith('.json')) expect(() => JSON.parse(text) as unknown, path).not.toThrow();
    const loader = /\.(tsx?|m?js|cjs)$/.exec(path)?.[1];
    if (loader) await transform(text, { loader: loader === 'tsx' || loader === 'ts' ? loader : 'js' });
  }
}
