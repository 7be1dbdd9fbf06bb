import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WorkspaceAccess } from '#contract/wire/card.ts';
import { MAX_PATTERNS } from '#contract/wire/grant.ts';
import { isPattern, matchesAny } from '#contract/wire/patterns.ts';
import { AUTO_TTL_SECONDS } from '#contract/wire/limits.ts';
import { scopeVerdict, type CurrentGrant, type Who, type RequestedScope } from './decide.ts';
import { isSensitive, SENSITIVE } from '#contract/wire/sensitive.ts';
import { cites } from '#test/spec/verifies.ts';

const asked = (more: Partial<RequestedScope> = {}): RequestedScope => ({
  reason: 'to read it',
  read: ['docs/a.md'],
  writePrefix: null,
  mode: 'read_only',
  ttlSeconds: 60,
  negotiated: false,
  totalBytes: 0,
  ...more,
});
const policy = (more: Partial<WorkspaceAccess> = {}): WorkspaceAccess => WorkspaceAccess.parse({ enabled: true, max_files: 25, ...more });
const owner: Who = { user: { id: 'usr_ada', bucket: 'usr:usr_ada' }, own: true };
const stranger: Who = { ...owner, own: false };
const nobody: Who = { user: null, own: false };
const held: CurrentGrant = { bucket: 'usr:usr_ada', mode: 'read_only', deny_patterns: [] };
const guarded: CurrentGrant = { ...held, deny_patterns: ['private/**', '**/*.csv'] };
const overlay = policy({ allowed_modes: ['read_only', 'read_write_overlay'] });
const off = WorkspaceAccess.parse({});
const many = Array.from({ length: 40 }, (_, at) => `never/${at}`);

describe('platform decision rules for scope expansion', () => {
  test.each([
    ['a request that crosses buckets', asked(), { ...held, bucket: 'usr:usr_ben' }, overlay, owner, 'crosses_buckets'],
    ['nobody to ask', asked(), null, overlay, nobody, 'nobody_to_ask'],
    ['a mode the policy does not allow', asked({ mode: 'read_write_overlay' }), held, policy(), owner, 'mode_not_allowed'],
    [
      'a write prefix where the policy allows reading',
      asked({ writePrefix: 'out' }),
      held,
      policy({ allowed_modes: ['read_only'] }),
      owner,
      'mode_not_allowed',
    ],
    ['no reason where one is required', asked({ reason: '  ' }), held, policy(), owner, 'reason_required'],
    ['a file the policy denies', asked({ read: ['a/b.csv'] }), held, policy({ deny_patterns: ['**/*.csv'] }), owner, 'policy_denies'],
    ['a folder within what the policy denies', asked({ read: ['a/b/*.csv'] }), held, policy({ deny_patterns: ['a/**'] }), owner, 'policy_denies'],
    ['a file that the held grant denies', asked({ read: ['docs/a.md', 'private/a.md'] }), guarded, overlay, owner, 'grant_denies'],
    ['a pattern within what the held grant denies', asked({ read: ['private/*/**'] }), guarded, overlay, stranger, 'grant_denies'],
    ['a folder to write into that the held grant denies', asked({ writePrefix: 'private/out' }), guarded, overlay, stranger, 'grant_denies'],
    ['more files than the policy allows', asked({ read: ['a', 'b'], negotiated: true }), null, policy({ max_files: 1 }), owner, 'too_many_files'],
    ['more bytes than the policy allows', asked({ totalBytes: 11 }), null, policy({ max_total_size_bytes: 10 }), owner, 'too_large'],
    ['negotiated access of an agent that touches no workspace', asked({ negotiated: true }), null, off, owner, 'workspace_disabled'],
    ['a request for nothing', asked({ read: [] }), null, overlay, owner, 'nothing_asked'],
  ] as const)('%s is always denied', cites('scope.buckets'), (_, w, h, p, who, code) => {
    expect(scopeVerdict(w, h, p, who)).toMatchObject({ verdict: 'deny', code });
  });

  test.each([
    ['a mode upgrade', asked({ mode: 'read_write_overlay' }), overlay, owner],
    ['a write prefix', asked({ writePrefix: 'out' }), overlay, owner],
    ['a lifetime over five minutes', asked({ ttlSeconds: AUTO_TTL_SECONDS + 1 }), overlay, owner],
    ["another's agent", asked(), overlay, stranger],
    ['more denials than a grant can carry', asked({ read: ['**'] }), { ...overlay, deny_patterns: many }, owner],
    ['a secret written in capitals', asked({ read: ['deploy/.ENV'] }), overlay, owner],
    ['a secret written in another width', asked({ read: ['deploy/ｉｄ_rsa'] }), overlay, owner],
    ['a policy that requires a person', asked(), policy({ require_human_approval: true }), owner],
    ['a file that looks like a secret', asked({ read: ['deploy/.env.production'] }), overlay, owner],
    ['a pattern for secrets', asked({ read: ['keys/*.pem'] }), overlay, owner],
    ['a folder of secrets', asked({ read: ['app/secrets/**'] }), overlay, owner],
  ] as const)('%s always asks', cites('scope.asks'), (_, w, p, who) => {
    expect(scopeVerdict(w, held, p, who)).toMatchObject({ verdict: 'ask' });
  });

  test('a read-only, short-lived, lowest-risk request of the user’s own agent is approved', cites('scope.auto'), () => {
    expect(scopeVerdict(asked(), held, overlay, owner)).toEqual({ verdict: 'approve', deny: [] });
    expect(scopeVerdict(asked({ ttlSeconds: AUTO_TTL_SECONDS }), null, off, owner)).toMatchObject({ verdict: 'approve' });
  });

  test("what a pattern happens to match is not handed over when it looks like a secret; the policy's own denials go along", () => {
    const verdict = scopeVerdict(asked({ read: ['docs/**'] }), held, policy({ deny_patterns: ['docs/private/**'] }), owner);
    expect(verdict).toEqual({ verdict: 'approve', deny: ['docs/private/**', ...SENSITIVE] });
    expect(scopeVerdict(asked({ read: ['docs/**'] }), held, policy({ deny_patterns: ['docs/private/**'] }), stranger)).toEqual({
      verdict: 'ask',
      deny: ['docs/private/**'],
    });
  });

  test('whatever is asked: writing, long lives, strangers and other buckets are never approved without a person', () => {
    const anyRequest = fc.record({
      reason: fc.string(),
      read: fc.array(fc.constantFrom('a', 'docs/**', '.env', '**', 'x/id_rsa', 'b/c.md'), { maxLength: 4 }),
      writePrefix: fc.option(fc.constantFrom('out', 'a/b')),
      mode: fc.constantFrom('read_only' as const, 'read_write_overlay' as const),
      ttlSeconds: fc.integer({ min: 1, max: 100_000 }),
      negotiated: fc.boolean(),
      totalBytes: fc.nat(),
    });
    const anyPolicy = fc.constantFrom(off, overlay, policy(), policy({ require_human_approval: true }), policy({ require_reason: false }));
    const anyHeld = fc.constantFrom<CurrentGrant>(null, held, { ...held, bucket: 'usr:usr_ben' }, guarded);
    fc.assert(
      fc.property(anyRequest, anyHeld, anyPolicy, fc.constantFrom(owner, stranger, nobody), (w, h, p, who) => {
        const verdict = scopeVerdict(w, h, p, who);
        if (h?.bucket === 'usr:usr_ben' || who === nobody) expect(verdict.verdict).toBe('deny');
        if (verdict.verdict !== 'approve') return;
        expect([w.mode, w.writePrefix, who, p.require_human_approval]).toEqual(['read_only', null, owner, false]);
        expect(w.ttlSeconds).toBeLessThanOrEqual(AUTO_TTL_SECONDS);
        for (const secret of ['.env', 'x/id_rsa', 'docs/.env'])
          if (matchesAny(w.read, secret)) expect(matchesAny(verdict.deny, secret), `${secret} in ${w.read.join()}`).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

test('names that hold secrets, at any depth', () => {
  for (const path of [
    '.env',
    'a/.env.local',
    'server.pem',
    'a/b.key',
    'home/id_ed25519',
    '.git/config',
    'x/.git/HEAD',
    'a/secrets/b',
    '.ssh/known_hosts',
    '.ENV',
    'A/SERVER.PEM',
    'Id_Rsa',
    'x/.Git/config',
    'Secrets/a',
    'K\u0045Y.\u212aey',
    '.git-credentials',
  ])
    expect(isSensitive(path), path).toBe(true);
  for (const path of ['environment.md', 'keys.md', 'a/pem.txt', 'src/identity.ts', 'secretsandlies.txt']) expect(isSensitive(path), path).toBe(false);
});

test('the deny patterns cover the same names in the cases people write them in', () => {
  expect(SENSITIVE.every(isPattern)).toBe(true);
  expect(SENSITIVE.length).toBeLessThanOrEqual(MAX_PATTERNS - 24);
  for (const path of ['.ENV.local', 'a/ID_RSA', 'Secrets/a', 'SECRETS/b', 'x/Credentials.json', 'SERVER.KEY'])
    expect(matchesAny(SENSITIVE, path), path).toBe(true);
});
