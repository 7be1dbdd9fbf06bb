import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkVersion, entryOf, findEntry, readProject } from './read.ts';

const MANIFEST = 'name: greeter\nversion: 0.1.0\nentrypoint: agent:Greeter\n';

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-read-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

describe('reading a project', () => {
  it.each([
    ['a typo', `${MANIFEST}expsoe: {}\n`, /svc\.yaml:4:\d+: expsoe: unknown key: did you mean expose\?/],
    ['a listing that is not a boolean', `${MANIFEST}expose:\n  public: "false"\n`, /svc\.yaml:5:\d+: expose\.public: write true or false without quotes/],
    ['a bad version', MANIFEST.replace('0.1.0', 'one'), /svc\.yaml:2:\d+: version: use a semantic version/],
    ['no YAML', `${MANIFEST}a: [1\n`, /svc\.yaml:5:\d+: /],
    ['nothing', '', /svc\.yaml: it is empty/],
  ])('tells where %s is and what to do', async (_, text, message) => {
    await expect(readProject(await folderWith({ 'svc.yaml': text }))).rejects.toThrow(message);
  });

  it('says how to get a project where there is none', async () => {
    await expect(readProject(await folderWith({}))).rejects.toThrow(/svc init NAME/);
  });

  it.each([
    ['agent.ts', 'agent:Greeter', 'typescript'],
    ['agent.mjs', 'agent:Greeter', 'javascript'],
    ['agent.ts', 'agent.ts:Greeter', 'typescript'],
    ['src/agent.ts', 'src/agent:Greeter', 'typescript'],
    ['agent/index.ts', 'agent:Greeter', 'typescript'],
    ['agent.py', 'agent:Greeter', 'python'],
    ['pkg/agent.py', 'pkg.agent:Greeter', 'python'],
    ['go.mod', 'main:Greeter', 'go'],
    ['Cargo.toml', 'src/main:Greeter', 'rust'],
  ])('finds %s for %s', async (file, entrypoint, language) => {
    const folder = await folderWith({ [file]: '' });
    expect(findEntry(folder, entrypoint)).toMatchObject({ file: join(folder, file), className: 'Greeter', entrypoint, language });
  });

  it.each([
    [{ 'agent.py': '', '.python-version': '3.9' }, '', /\.python-version: asks for Python 3\.9, and agents run on/],
    [{ 'agent.py': '', 'pyproject.toml': '[project]\nrequires-python = "<3.11"\n' }, '', /pyproject\.toml: asks for Python <3\.11/],
    [{ 'agent.py': '' }, 'node: "26"\n', /svc\.yaml:4:\d+: node: is for projects in TypeScript/],
    [{ 'agent.ts': '', 'package.json': '{"engines":{"node":"20.x"}}' }, '', /package\.json: asks for Node 20\.x/],
  ])('refuses a version that agents do not run on: %j %s', async (files, more, message) => {
    const project = await readProject(await folderWith({ 'svc.yaml': MANIFEST + more, ...files }));
    await expect(checkVersion(project, entryOf(project))).rejects.toThrow(message);
  });

  it('names the line of an entrypoint that means nothing', async () => {
    const project = await readProject(await folderWith({ 'svc.yaml': MANIFEST }));
    expect(() => entryOf(project)).toThrow(/svc\.yaml:3:\d+: entrypoint: "agent" is not a file here; expected agent\.py or agent\.ts/);
  });
});
