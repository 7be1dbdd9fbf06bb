// A folder with secrets that git does not know, shipped by a person who trusts `.gitignore`: they stay where
// they are, and what looks like a key is named.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { list } from 'tar';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { serveForTest } from '#api/http/test/serve.ts';
import { signedIn, toolAt } from '#cli/test/signed-in.ts';
import { agents } from '#contract/agents/agents.ts';

/** Of a form that the platform's rules know; made here, so that no file holds it. */
const TOKEN = `ghp_${'aB3dE5gH7jK9mN1pQ2rS'.repeat(2)}`;
const PEM = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(2)}\n-----END PRIVATE KEY-----\n`;

let uploaded: string[] | undefined;
beforeEach(() => {
  uploaded = undefined;
});

const { tool } = await toolAt(
  await serveForTest(
    { agents: { fromTarball: agents.fromTarball } },
    {
      agents: {
        async fromTarball(_ctx, { body }) {
          for await (const part of body) if (part.kind !== 'field') uploaded = await entriesOf(await buffer(part.stream));
          return {
            name: 'kit',
            deploy_id: 'dep_00000000-0000-7000-8000-000000000001',
            job_id: 'job_1',
            number: 1,
            state: 'queued' as const,
            source_sha256: 'x',
            url: 'http://kit.localhost',
          };
        },
      },
    },
  ),
);

async function entriesOf(archive: Buffer): Promise<string[]> {
  const names: string[] = [];
  const reading = list({ onReadEntry: (entry) => void names.push(entry.path) });
  for await (const chunk of Readable.from([archive])) reading.write(chunk);
  reading.end();
  return names.toSorted();
}

async function project(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ignored-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries({ 'svc.yaml': 'name: kit\nversion: 0.1.0\nentrypoint: agent:Kit\n', 'agent.ts': '', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

const deploy = (folder: string, ...options: string[]) => tool.run(['deploy', folder, '--no-validate', '--no-wait', ...options], signedIn);

test('what .gitignore names is not uploaded, at any depth, and the tool says what it left out', async () => {
  const folder = await project({
    '.gitignore': 'private/\n*.sql\n!schema.sql\n',
    'private/customers.csv': 'Ada',
    'dump.sql': 'insert',
    'schema.sql': 'create',
    'lib/.gitignore': '/local.json\n!seed.sql\n',
    'lib/local.json': '{}',
    'lib/deep/local.json': '{}',
    'lib/seed.sql': 'insert',
  });
  const { code, err } = await deploy(folder);
  expect({ code, uploaded }).toEqual({
    code: 0,
    uploaded: ['.gitignore', 'agent.ts', 'lib/.gitignore', 'lib/deep/local.json', 'lib/seed.sql', 'schema.sql', 'svc.yaml'],
  });
  expect(err).toContain('Left out by .gitignore, .svcignore or as never uploaded: dump.sql, lib/local.json, private/');
});

test('a project inside a larger work tree goes by the rules above it, and .svcignore has the last word', async () => {
  const top = await project({ '.gitignore': '*.secret\n/agents/kit/out/\n' });
  await promisify(execFile)('git', ['init', '-q', top]);
  for (const [path, content] of Object.entries({
    'svc.yaml': 'name: kit\nversion: 0.1.0\nentrypoint: agent:Kit\n',
    'a.secret': '1',
    'out/made.js': '2',
    'notes.md': '3',
    '.svcignore': '!out/\n/notes.md\n',
  })) {
    await mkdir(dirname(join(top, 'agents/kit', path)), { recursive: true });
    await writeFile(join(top, 'agents/kit', path), content);
  }
  expect((await deploy(join(top, 'agents/kit'))).code).toBe(0);
  expect(uploaded).toEqual(['.svcignore', 'out/made.js', 'svc.yaml']);
});

test.each([
  ['certs/server.pem', PEM, 'a private key'],
  ['id_ed25519', 'x', 'a private key'],
  ['.envrc', 'export A=b', 'settings with secrets'],
  ['.env-production', 'A=b', 'settings with secrets'],
  ['.aws/credentials', '[default]', "a cloud's credentials"],
  ['gcp.json', '{"type": "service_account", "private_key_id": "1"}', "a cloud's credentials"],
  ['agent.ts', `const token = '${TOKEN}';\n`, 'a GitHub token'],
])('%s is named, and nothing is uploaded until a person says so', async (path, content, kind) => {
  const folder = await project({ [path]: content });
  const refused = await deploy(folder);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toContain(`${path}: ${kind}`);
  expect(refused.err).toContain('--allow-secrets');
  expect(refused.err).not.toContain(TOKEN);
  expect(uploaded).toBeUndefined();
  expect((await deploy(folder, '--allow-secrets')).code).toBe(0);
  expect(uploaded).toContain(path);
});

test('a public certificate, a placeholder and an example of settings are no keys', async () => {
  const folder = await project({
    'ca.pem': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    '.env.example': 'TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n',
  });
  expect((await deploy(folder)).code).toBe(0);
  expect(uploaded).toEqual(['.env.example', 'agent.ts', 'ca.pem', 'svc.yaml']);
});
