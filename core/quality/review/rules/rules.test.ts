// Every other rule: what it finds, and what it passes.
import { describe, expect, test } from 'vitest';
import { advisoriesOf } from '../advisories.ts';
import { places, project, type Sample } from '../test/project.ts';
import { advisoryOf, floatingDependency, knownAdvisory, lockFile } from './dependencies.ts';
import { refusedEgress, unboundedEgress } from './egress.ts';
import { REVIEW_RULES } from './index.ts';
import { riskyCode } from './risky-code.ts';
import { untypedSchema } from './schemas.ts';
import { undeclaredSecret } from './undeclared-secret.ts';
import { grantWiderThanWrites, missingScopes } from './workspace.ts';

type Table = Record<string, [Sample, string[]]>;
const check = (table: Table, find: (sample: Sample) => string[]): void =>
  void test.each(Object.entries(table))('%s', (_, [sample, expected]) => expect(find(sample)).toEqual(expected));

const skill = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  name: id,
  description: 'Does it.',
  input_schema: { type: 'object', properties: { name: { type: 'string' } } },
  output_schema: { type: 'object' },
  ...more,
});
const code = (...lines: string[]): Record<string, string> => ({ 'agent.ts': lines.join('\n') });
const egress = (allow_hosts: string[], deny = true) => ({ runtime: { egress: { allow_hosts, deny_internet_by_default: deny } } });

describe('unbounded-egress', () =>
  check(
    {
      'the whole internet, where the code says so': [{ files: code('', 'egress = { denyInternetByDefault: false }'), card: egress([], false) }, ['agent.ts:2']],
      'the whole internet, said nowhere': [{ card: egress([], false) }, ['card']],
      'every host of everybody': [{ card: egress(['*.com', '*.co.uk', '*.github.io', '*.amazonaws.com']) }, ['card', 'card', 'card', 'card']],
      'named hosts': [{ card: egress(['api.acme.io', '*.acme.io', '*.eu.acme.co.uk']) }, []],
    },
    (sample) => places(unboundedEgress, sample),
  ));

describe('refused-egress', () =>
  check(
    {
      'a host that is not allowed': [{ files: code(`await fetch('https://api.acme.io/v1');`), card: egress(['other.io']) }, ['agent.ts:1']],
      'in Python': [{ files: { 'agent.py': `requests.get(f"https://api.acme.io/{x}")` } }, ['agent.py:1']],
      'an allowed host': [{ files: code(`await fetch('https://api.acme.io/v1');`), card: egress(['*.acme.io']) }, []],
      'all hosts': [{ files: code(`await fetch('https://api.acme.io/v1');`), card: egress([], false) }, []],
      'an address that is not called': [{ files: code(`const docs = 'https://acme.io/docs';`) }, []],
      'this machine': [{ files: code(`await fetch('http://127.0.0.1:80/'); `) }, []],
    },
    (sample) => places(refusedEgress, sample),
  ));

const workspace = (...allowed_modes: string[]) => ({ workspace_access: { enabled: true, max_files: 5, allowed_modes } });
describe('grant-wider-than-writes', () =>
  check(
    {
      'writing is asked for and never done': [
        { files: code('workspaceAccess = x;', `ctx.workspace.requestAccess(['a'])`), card: workspace('read_only', 'read_write_overlay') },
        ['agent.ts:1'],
      ],
      'writing is done': [{ files: code(`ctx.workspace.requestAccess(['a']); view.write('a', '')`), card: workspace('read_write_overlay') }, []],
      'reading alone': [{ files: code(`ctx.workspace.requestAccess(['a'])`), card: workspace('read_only') }, []],
      'files are asked for and never read': [{ files: code('export {};'), card: workspace('read_only') }, ['card']],
      'all files': [{ files: code(`await ctx.workspace.requestAccess(['**'], {})`), card: workspace('read_only') }, ['agent.ts:1']],
      'no access': [{ files: code('export {};') }, []],
    },
    (sample) => places(grantWiderThanWrites, sample),
  ));

describe('missing-scopes', () =>
  check(
    {
      'a skill that changes something': [{ files: code('', 'deleteUser = skill()'), card: { skills: [skill('deleteUser')] } }, ['agent.ts:2']],
      'with a scope': [{ card: { skills: [skill('deleteUser', { scopes: ['users:write'] })] } }, []],
      'one that reads': [{ card: { skills: [skill('listUsers'), skill('sender'), skill('updated_since')] } }, []],
    },
    (sample) => places(missingScopes, sample),
  ));

describe('untyped-schema', () =>
  check(
    {
      'an argument without a type': [
        { files: code('greet = skill()'), card: { skills: [skill('greet', { input_schema: { properties: { name: {} } } })] } },
        ['agent.ts:1'],
      ],
      'any arguments': [{ card: { skills: [skill('greet', { input_schema: { type: 'object', additionalProperties: true } })] } }, ['card']],
      'a result without a type, without a description': [{ card: { skills: [skill('greet', { output_schema: {}, description: ' ' })] } }, ['card', 'card']],
      typed: [{ card: { skills: [skill('greet'), skill('none', { input_schema: { type: 'object', properties: {} }, output_schema: { $ref: '#/x' } })] } }, []],
    },
    (sample) => places(untypedSchema, sample),
  ));

describe('risky-code', () => {
  const found = [
    `https.request({ rejectUnauthorized: false })`,
    `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'`,
    `eval(code)`,
    `new Function(body)`,
    'execSync(`ls ${path}`)',
    `spawn(command, { shell: true })`,
    `console.log(process.env)`,
    `console.log('key', ctx.secret('KEY'))`,
  ];
  const python = [`requests.get(url, verify=False)`, `subprocess.run(cmd, shell=True)`, `os.system(f"ls {path}")`, `print(os.environ)`, `exec(code)`];
  const passed = [
    `const evaluated = model.eval();`,
    `// eval(code) would be wrong`,
    `pattern.exec(text)`,
    `db.exec('select 1')`,
    `execFile('ls', [path])`,
    `console.log(process.env.NODE_ENV)`,
    `verify = true`,
  ];
  test.each(found)('finds %s', (line) => expect(places(riskyCode, { files: { 'a.ts': line } })).toEqual(['a.ts:1']));
  test.each(python)('finds %s', (line) => expect(places(riskyCode, { files: { 'a.py': line } })).toEqual(['a.py:1']));
  test.each(passed)('passes %s', (line) => expect(places(riskyCode, { files: { 'a.ts': line } })).toEqual([]));
});

describe('undeclared-secret', () =>
  check(
    {
      'names that the card does not have, each once': [
        { files: code(`ctx.secret('KEY')`, `process.env.OTHER`, `process.env['OTHER']`, `ctx.secret('KEY')`) },
        ['agent.ts:1', 'agent.ts:2'],
      ],
      'in Python': [{ files: { 'agent.py': `os.environ["KEY"]` } }, ['agent.py:1']],
      'named, given, or with a default': [
        {
          files: code(`ctx.secret('KEY')`, `process.env.REGION`, `process.env.NODE_ENV`, `process.env.SVC_CP_URL`, `process.env.LEVEL ?? 'info'`),
          card: { required_secrets: ['KEY'], required_env: ['REGION'] },
        },
        [],
      ],
    },
    (sample) => places(undeclaredSecret, sample),
  ));

const since = (days: number) => ({ lockSince: new Date(Date.parse('2026-11-24T00:00:00Z') - days * 86_400_000) });
describe('lock-file', () =>
  check(
    {
      'dependencies without one': [{ files: { 'package.json': '{"dependencies":{"zod":"^4.0.0"}}' } }, ['package.json:1']],
      'an old one': [{ files: { 'package-lock.json': '{}' }, more: since(200) }, ['package-lock.json:1']],
      'a young one': [{ files: { 'package-lock.json': '{}', 'package.json': '{"dependencies":{"zod":"4"}}' }, more: since(100) }, []],
      'the SDK alone': [{ files: { 'package.json': '{"dependencies":{"@svc/sdk":"file:vendor/x.tgz"}}' } }, []],
      'a package.json that cannot be read': [{ files: { 'package.json': '{' } }, []],
    },
    (sample) => places(lockFile, sample),
  ));

describe('floating-dependency', () =>
  check(
    {
      'any version, an address, a branch': [
        { files: { 'package.json': '{\n"dependencies": {\n"a": "*",\n"b": "https://x.io/b.tgz",\n"c": "github:x/c#main"\n}}' } },
        ['package.json:3', 'package.json:4', 'package.json:5'],
      ],
      'in Python': [{ files: { 'requirements.txt': 'httpx==0.28.1\ngit+https://github.com/x/y' } }, ['requirements.txt:2']],
      'versions, a commit, a file': [
        { files: { 'package.json': `{\n"version": "1.0.0",\n"a": "^1.0.0",\n"c": "github:x/c#${'a1'.repeat(20)}",\n"@svc/sdk": "file:vendor/x.tgz"\n}` } },
        [],
      ],
    },
    (sample) => places(floatingDependency, sample),
  ));

const record = (ecosystem: string, name: string, events: object[], more: object = {}) => ({
  id: 'GHSA-1',
  aliases: ['CVE-2026-1'],
  summary: 'A fault',
  affected: [{ package: { ecosystem, name }, ranges: [{ type: 'SEMVER', events }] }],
  ...more,
});
const advisories = (...records: object[]) => ({ advisories: advisoriesOf(records.map((one) => JSON.stringify(one)).join('\n')) });
const npmLock = (version: string) => ({
  'package-lock.json': JSON.stringify(
    { packages: { '': { version: '9.9.9' }, 'node_modules/a': { version }, 'node_modules/a/node_modules/@s/b': { version: '3.0.0' } } },
    null,
    2,
  ),
});
test('of which advisory a finding is stands in its message', () => {
  const [found] = [...knownAdvisory.find(project({ files: npmLock('1.0.0'), more: advisories(record('npm', 'a', [{ introduced: '0' }])) }))];
  expect(advisoryOf(found?.message ?? '')).toBe('CVE-2026-1');
  expect(advisoryOf('Something has gone wrong')).toBeNull();
});

describe('known-advisory', () => {
  const below2 = advisories(record('npm', 'a', [{ introduced: '0' }, { fixed: '2.0.0' }]));
  check(
    {
      'an affected version': [{ files: npmLock('1.9.9'), more: below2 }, ['package-lock.json:6']],
      'a pre-release of the first fixed one': [{ files: npmLock('2.0.0-rc.1'), more: below2 }, ['package-lock.json:6']],
      'the first fixed one': [{ files: npmLock('2.0.0'), more: below2 }, []],
      'a later one, by number and not by letter': [{ files: npmLock('10.0.0'), more: below2 }, []],
      'in a scope, never fixed': [{ files: npmLock('2.0.0'), more: advisories(record('npm', '@s/b', [{ introduced: '3.0.0' }])) }, ['package-lock.json:9']],
      'the second range': [
        {
          files: npmLock('3.1.0'),
          more: advisories(record('npm', 'a', [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '3.0.0' }, { last_affected: '3.1.0' }])),
        },
        ['package-lock.json:6'],
      ],
      'between two ranges': [
        { files: npmLock('2.0.0'), more: advisories(record('npm', 'a', [{ introduced: '1.0.0' }, { fixed: '1.2.0' }, { introduced: '3.0.0' }])) },
        [],
      ],
      withdrawn: [{ files: npmLock('1.0.0'), more: advisories(record('npm', 'a', [{ introduced: '0' }], { withdrawn: '2026-01-01' })) }, []],
      'of another ecosystem': [{ files: npmLock('1.0.0'), more: advisories(record('PyPI', 'a', [{ introduced: '0' }])) }, []],
      'Python, whatever its name is written like': [
        { files: { 'requirements.txt': 'My_Package==1.0rc1' }, more: advisories(record('PyPI', 'my.package', [{ introduced: '0' }, { fixed: '1.0' }])) },
        ['requirements.txt:1'],
      ],
      Rust: [
        { files: { 'Cargo.lock': '[[package]]\nname = "tiny"\nversion = "0.3.1"\n' }, more: advisories(record('crates.io', 'tiny', [{ introduced: '0' }])) },
        ['Cargo.lock:2'],
      ],
      Go: [
        { files: { 'go.sum': 'x.io/y v1.2.3 h1:abc=\n' }, more: advisories(record('Go', 'x.io/y', [{ introduced: '1.0.0' }, { fixed: '1.2.4' }])) },
        ['go.sum:1'],
      ],
      'no database': [{ files: npmLock('1.0.0') }, []],
    },
    (sample) => places(knownAdvisory, sample),
  );

  test('an array of records reads as lines of them do; what is no record is left out', () => {
    const one = record('npm', 'a', [{ introduced: '0' }]);
    for (const text of [JSON.stringify([one, 7]), `${JSON.stringify(one)}\nnot json\n`]) {
      expect(advisoriesOf(text).of({ ecosystem: 'npm', name: 'a', version: '1.0.0' })).toMatchObject([{ id: 'CVE-2026-1' }]);
    }
  });
});

test('no two rules have one name', () => expect(new Set(REVIEW_RULES.map(({ id }) => id)).size).toBe(REVIEW_RULES.length));
