// Secrets are put together here, so that this file holds none.
import { describe, expect, test } from 'vitest';
import { ends } from '#test/support/ends.ts';
import { places, project } from '../test/project.ts';
import { secretToken } from './secret-token.ts';
import { secretValue } from './secret-value.ts';

const random = (length: number, alphabet = 'aB3dE9fGh2JkLm7NpQr5StUv8WxYz4'): string =>
  Array.from({ length }, (_, at) => alphabet[(at * 7 + 3) % alphabet.length]).join('');
const upper = (length: number): string => random(length, 'K7QX2MZ5RW3TN6JH4PVD');

describe('secret-token', () => {
  const found: Record<string, string> = {
    aws: `const id = '${'AK'}${'IA'}${upper(16)}';`,
    github: `token = "${'gh'}p_${random(36)}"`,
    gitlab: `glab = '${'gl'}pat-${random(20)}'`,
    slack: `SLACK=${'xo'}xb-${random(40)}`,
    stripe: `stripe('${'sk'}_live_${random(24)}')`,
    anthropic: `key: ${'sk'}-ant-api03-${random(80)}`,
    google: `const maps = '${'AI'}za${random(35)}'`,
    npm: `//registry.npmjs.org/:_authToken=${'np'}m_${random(36)}`,
    'a private key': `-----BEGIN ${'RSA'} PRIVATE KEY-----\n${random(64)}`,
    'an escaped private key': `"key": "-----BEGIN ${'PRIVATE'} KEY-----\\n${random(64)}"`,
    'an address': `const db = 'postgres://svc_user:${random(14)}@db.prod.acme.io/main';`,
  };
  test.each(Object.entries(found))('finds %s', (_, line) => {
    expect(places(secretToken, { files: { 'agent.ts': `\n${line}` } })).toEqual(['agent.ts:2']);
  });

  const passed: Record<string, string> = {
    'the documentation key of AWS': `const id = '${'AK'}IAIOSFODNN7EXAMPLE';`,
    'a test key of Stripe': `stripe('${'sk'}_test_${random(24)}')`,
    'a placeholder': `token = "${'gh'}p_${'x'.repeat(36)}"`,
    'a key that is read': `const key = process.env.STRIPE_KEY;`,
    'only the head of a key': `if (text.startsWith('-----BEGIN ${'RSA'} PRIVATE KEY-----')) return parse(text);`,
    'an address with places': 'const db = `postgres://${user}:${password}@${host}.internal.io/main`;',
    'an address of this machine': `const db = 'postgres://postgres:postgres@localhost:5432/test';`,
    'a hash': `const integrity = 'sha512-${random(86)}==';`,
  };
  test.each(Object.entries(passed))('passes %s', (_, line) => {
    expect(places(secretToken, { files: { 'agent.ts': line } })).toEqual([]);
  });

  test('tests and lock files are not looked at', () => {
    const line = found['github'] ?? '';
    expect(places(secretToken, { files: { 'agent.test.ts': line, 'tests/a.py': line, 'fixtures/x.json': line, 'package-lock.json': line } })).toEqual([]);
  });

  test('the finding does not hold the secret, nor a part of it', () => {
    for (const line of Object.values(found)) {
      const secret = /[A-Za-z0-9_-]{12,}/g;
      const [finding] = secretToken.find(project({ files: { 'a.ts': line } }));
      for (const [part] of line.matchAll(secret)) expect(finding?.message).not.toContain(part.slice(0, 12));
    }
  });
});

describe('secret-value', () => {
  const value = random(24);
  const found: Record<string, [string, string]> = {
    'a constant': ['agent.ts', `const apiKey = '${value}';`],
    'a member': ['agent.ts', `  api_key: "${value}",`],
    'a typed Python name': ['agent.py', `CLIENT_SECRET: str = "${value}"`],
    JSON: ['config.json', `{ "db_password": "${value}" }`],
    'a file of settings': ['.env', `ACCESS_TOKEN=${value}`],
    YAML: ['config.yaml', `auth_token: ${value}`],
    Go: ['main.go', `apiKey := "${value}"`],
  };
  test.each(Object.entries(found))('finds %s', (_, [path, line]) => {
    expect(places(secretValue, { files: { [path]: `\n\n${line}` } })).toEqual([`${path}:3`]);
  });

  const passed: Record<string, [string, string]> = {
    'a name of a variable': ['agent.ts', `const token = process.env.TOKEN;`],
    'a name': ['agent.ts', `required_secrets: ['OPENAI_API_KEY'], secret: 'SUPPLIER_KEY'`],
    'a word': ['agent.ts', `const tokenKind = 'application-default';`],
    'a placeholder': ['agent.ts', `const apiKey = 'your-api-key-123456';`],
    'a place': ['agent.ts', 'const token = `${prefix}-a1b2c3d4e5`;'],
    'an address': ['agent.ts', `const tokenUrl = 'https://login.acme.io/oauth2/v2/token';`],
    'a public key': ['agent.ts', `const publicApiKey = '${value}';`],
    'a short value': ['agent.ts', `const password = 'hunter2';`],
    'an example file': ['.env.example', `ACCESS_TOKEN=${value}`],
    'a checksum': ['agent.ts', `const tokenSha256 = '${random(64, '0123456789abcdef')}';`],
    'a kind of token': ['agent.ts', `grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', token_type: 'access_token_v2'`],
    prose: ['README.md', `api_key = "${value}"`],
  };
  test.each(Object.entries(passed))('passes %s', (_, [path, line]) => {
    expect(places(secretValue, { files: { [path]: line } })).toEqual([]);
  });
});

test('a line that a rule could take for ever is read to its end', () => {
  const hostile = `const token = '${'a'.repeat(500_000)}`;
  const files = { 'a.ts': `${hostile}\n`.repeat(2) + `${'token='.repeat(5_000)}\n`.repeat(200) };
  for (const rule of [secretToken, secretValue]) expect(ends(() => places(rule, { files }))).toBeInstanceOf(Array);
});
