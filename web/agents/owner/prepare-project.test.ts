// A project that a person drops on the page, as a folder or packed by hand: what the tool would leave out is
// left out, and what looks like a key is named.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readFiles } from '#core/agents/source/read-files.ts';
import { rawPax, rawTar, type RawEntry } from '#core/agents/source/tar-fixture.ts';
import { archivedProject, folderProject, type Project } from './prepare-project.ts';
import { chosenFolder } from './project-folder.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;
const named = (bytes: Uint8Array): File => new File([new Uint8Array(bytes)], 'project.tar.gz');
const archive = (...entries: (RawEntry | Buffer)[]): File => named(rawTar(entries));
const sent = async ({ archive }: Project) => readFiles(Readable.from([Buffer.from(await archive.arrayBuffer())], { objectMode: false }));
const pathsOf = async (project: Project): Promise<string[]> => (await sent(project)).map(({ path }) => path);

const FILES = {
  'svc.yaml': 'name: kit\nversion: 0.1.0\nentrypoint: agent:Kit\nfrontend: { path: ./web }\n',
  'agent.ts': '',
  '.env': 'A=b',
  'lib/.env.local': 'A=b',
  '.env.example': 'A=',
  '.gitignore': 'private/\n*.sql\n!schema.sql\ndist/\n',
  'private/customers.csv': 'Ada',
  'schema.sql': 'create',
  'dump.sql': 'insert',
  'lib/.gitignore': '/local.json\n',
  'lib/local.json': '{}',
  'lib/deep/local.json': '{}',
  '.svcignore': '/notes.md\n!keep.log\n',
  'notes.md': 'mine',
  'keep.log': 'x',
  'other.log': 'x',
  '.git/info/exclude': 'excluded.cfg\n',
  'excluded.cfg': 'x',
  'node_modules/x/index.js': 'x',
  'web/dist/index.html': 'built',
  'dist/a.js': 'x',
  'start.sh': '#!/bin/sh\n',
};
const KEPT = [
  '.env.example',
  '.gitignore',
  '.svcignore',
  'agent.ts',
  'keep.log',
  'lib/.gitignore',
  'lib/deep/local.json',
  'schema.sql',
  'start.sh',
  'svc.yaml',
  'web/dist/index.html',
];
const LEFT_OUT = ['.env', 'dist/', 'dump.sql', 'excluded.cfg', 'lib/.env.local', 'lib/local.json', 'notes.md', 'other.log', 'private/'];

test('of a folder and of an archive the same files stay out, whatever they hold, and both say which', async () => {
  const chosen = Object.entries({ ...FILES, 'private/id_ed25519': 'x' }).map(([path, content]) => ({
    relative: `kit/${path}`,
    file: new File([content], path.split('/').at(-1) ?? ''),
  }));
  const folder = await folderProject('kit', chosenFolder(chosen));
  const packed = await archivedProject(archive(...Object.entries(FILES).map(([path, body]) => ({ path: `./${path}`, body }))));
  for (const project of [folder, packed]) {
    expect({ leftOut: project.leftOut, keys: project.keys, files: await pathsOf(project) }).toEqual({ leftOut: LEFT_OUT, keys: [], files: KEPT });
  }
  const modes = new Map((await sent(folder)).map(({ path, executable }) => [path, executable]));
  expect([modes.get('start.sh'), modes.get('agent.ts')]).toEqual([true, false]);
});

test('an archive of which nothing is left out is sent byte for byte; one with links goes without them', async () => {
  const entries = [
    { path: './', type: '5' },
    { path: './agent.ts', body: 'export {}', mode: 0o755 },
  ];
  const whole = archive(...entries);
  expect((await archivedProject(whole)).archive).toBe(whole);
  const long = `${'long/'.repeat(60)}a.ts`;
  const project = await archivedProject(archive(...entries, { path: 'passwd', type: '2', link: '/etc/passwd' }, rawPax([`path=${long}`]), { path: 'short' }));
  expect(project.leftOut).toEqual(['passwd']);
  expect((await sent(project)).map(({ path, executable }) => [path, executable])).toEqual([
    ['agent.ts', true],
    [long, false],
  ]);
});

test('keys are named by their name or their content, wherever they lie', async () => {
  const file = archive(
    { path: './agent.ts', body: 'export {}' },
    { path: './.envrc', body: 'A=b' },
    { path: 'data.bin', body: randomBytes(400_000) },
    { path: 'deep/er/settings.ts', body: `const token = '${TOKEN}';\n` },
    rawPax([`path=${'long/'.repeat(30)}id_ed25519`]),
    { path: 'short', body: 'x' },
    { path: '.env.example', body: 'A=' },
  );
  expect((await archivedProject(file)).keys).toEqual([
    '.envrc: settings with secrets',
    'deep/er/settings.ts: a GitHub token',
    `${'long/'.repeat(30)}id_ed25519: a private key`,
  ]);
});

test('what is damaged, no archive, empty, or leads out of the project is refused before anything is sent', async () => {
  const cut = await archive({ path: 'agent.ts', body: 'A=b' }, { path: 'x', body: randomBytes(5_000) }).bytes();
  const short = gunzipSync(rawTar([{ path: 'agent.ts', body: 'A=b' }, { path: 'x', body: randomBytes(5_000) }])).subarray(0, 3_000); // prettier-ignore
  for (const bytes of [cut.subarray(0, -100), gzipSync(short)]) await expect(archivedProject(named(bytes))).rejects.toThrow('is damaged');
  await expect(archivedProject(named(Buffer.from('PK')))).rejects.toThrow('is not a gzipped tar');
  await expect(archivedProject(archive({ path: '.env', body: 'A=b' }))).rejects.toThrow('nothing to deploy');
  for (const path of ['../.env', '/etc/passwd', 'a/../.env']) await expect(archivedProject(archive({ path }))).rejects.toThrow('outside of the project');
});
