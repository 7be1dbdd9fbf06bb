// An archive that a person packed by hand and drops on the page: what looks like a key in it is named before anything is sent, as the tool names it.
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { rawPax, rawTar, type RawEntry } from '#core/agents/source/tar-fixture.ts';
import { keysIn } from './upload-tarball.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;
const archive = (...entries: (RawEntry | Buffer)[]): Blob => new Blob([new Uint8Array(rawTar(entries))]);

test('keys are named by their name or their content, wherever they lie', async () => {
  const file = archive(
    { path: './', type: '5' },
    { path: './agent.ts', body: 'export {}' },
    { path: './.env', body: 'A=b' },
    { path: 'data.bin', body: randomBytes(400_000) },
    { path: 'deep/er/settings.ts', body: `const token = '${TOKEN}';\n` },
    rawPax([`path=${'long/'.repeat(30)}id_ed25519`]),
    { path: 'short', body: 'x' },
    { path: '.env.example', body: 'A=' },
  );
  expect(await keysIn(file)).toEqual(['.env: settings with secrets', 'deep/er/settings.ts: a GitHub token', `${'long/'.repeat(30)}id_ed25519: a private key`]);
});

test('a project without keys, one that is damaged, and what is no archive', async () => {
  expect(await keysIn(archive({ path: 'agent.ts', body: 'export {}' }))).toEqual([]);
  const cut = archive({ path: '.env', body: 'A=b' }, { path: 'x', body: randomBytes(5_000) });
  expect(await keysIn(cut.slice(0, cut.size - 100))).toEqual(['.env: settings with secrets']);
  expect(await keysIn(new Blob(['PK']))).toEqual([]);
  const short = gunzipSync(rawTar([{ path: '.env', body: 'A=b' }, { path: 'x', body: randomBytes(5_000) }])).subarray(0, 3_000); // prettier-ignore
  expect(await keysIn(new Blob([new Uint8Array(gzipSync(short))]))).toEqual(['.env: settings with secrets']);
});
