// Spec 2, "Grant" and "Grant tokens": what every language signs, refuses, matches and contains alike.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { canonicalJson } from '../../contract/wire/canonical.ts';
import { WorkspaceMode } from '../../contract/wire/card.ts';
import { containmentFault, grantAllows } from '../../contract/wire/containment.ts';
import { Grant } from '../../contract/wire/grant.ts';
import { checkGrant, grantKeyOf, mintGrant, signGrant } from '../../contract/crypto/grant-token.ts';
import { isPath, isPattern, isPrefix, isUnder, isWithin, matchesAny } from '../../contract/wire/patterns.ts';
import { cites } from '../../test/spec/verifies.ts';

const texts = z.array(z.string());
const MintInput = z.strictObject({
  grant_id: z.string(),
  issuer: z.string(),
  audience: z.string(),
  bucket: z.string(),
  mode: WorkspaceMode,
  allow_patterns: texts.optional(),
  deny_patterns: texts.optional(),
  outputs_prefix: z.string().optional(),
  ttl_seconds: z.int().optional(),
  issued_at: z.int(),
  nonce: z.string(),
});
const GrantVectors = z.strictObject({
  platform_secret: z.string(),
  now: z.int(),
  keys: z.array(z.strictObject({ audience: z.string(), key: z.string() })),
  tokens: z.array(z.strictObject({ about: z.string(), mint: MintInput, grant: Grant, canonical: z.string(), token: z.string() })),
  refused: z.array(z.strictObject({ about: z.string(), token: z.string(), audience: z.string(), now: z.int(), fault: z.string() })),
  containment: z.array(z.strictObject({ about: z.string(), parent: Grant.extend({ depth: z.int() }), child: Grant, fault: z.string().nullable() })),
  allows: z.array(z.strictObject({ grant: z.string(), path: z.string(), access: z.enum(['read', 'write']), allowed: z.boolean() })),
});
const region = z.strictObject({ allow: texts, deny: texts });
const PatternVectors = z.strictObject({
  paths: z.array(z.strictObject({ path: z.string(), valid: z.boolean() })),
  patterns: z.array(z.strictObject({ pattern: z.string(), valid: z.boolean() })),
  prefixes: z.array(z.strictObject({ prefix: z.string(), valid: z.boolean() })),
  matches: z.array(z.strictObject({ patterns: texts, path: z.string(), matches: z.boolean() })),
  within: z.array(z.strictObject({ inner: region, outer: region, within: z.boolean() })),
  under: z.array(z.strictObject({ prefix: z.string(), path: z.string(), under: z.boolean() })),
});

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const golden = GrantVectors.parse(read('grant.json'));
const secret = new Uint8Array(Buffer.from(golden.platform_secret, 'base64url'));

describe('grants', () => {
  it('the key of each audience', () => {
    for (const { audience, key } of golden.keys) expect(Buffer.from(grantKeyOf(secret, audience)).toString('base64url'), audience).toBe(key);
  });

  it.each(golden.tokens)('minted and signed: $about', cites('grants.fields'), ({ mint, grant, canonical, token }) => {
    const key = grantKeyOf(secret, mint.audience);
    const made = mintGrant(
      {
        grantId: mint.grant_id,
        issuer: mint.issuer,
        audience: mint.audience,
        bucket: mint.bucket,
        mode: mint.mode,
        issuedAt: mint.issued_at,
        nonce: mint.nonce,
        ...(mint.allow_patterns && { allowPatterns: mint.allow_patterns }),
        ...(mint.deny_patterns && { denyPatterns: mint.deny_patterns }),
        ...(mint.outputs_prefix !== undefined && { outputsPrefix: mint.outputs_prefix }),
        ...(mint.ttl_seconds !== undefined && { ttlSeconds: mint.ttl_seconds }),
      },
      key,
    );
    expect(made).toEqual({ grant, token });
    expect(canonicalJson(grant)).toBe(canonical);
    expect(signGrant(grant, key)).toBe(token);
    expect(checkGrant(token, key, { audience: mint.audience, now: golden.now })).toEqual({ ok: true, grant });
  });

  it.each(golden.refused)('refused: $about', ({ token, audience, now, fault }) => {
    expect(checkGrant(token, grantKeyOf(secret, audience), { audience, now })).toEqual({ ok: false, fault });
  });

  it.each(golden.containment)('a child: $about', ({ parent, child, fault }) => {
    expect(containmentFault(parent, child)?.code ?? null).toBe(fault);
  });

  it('what they allow', () => {
    for (const { grant: about, path, access, allowed } of golden.allows) {
      const grant = golden.tokens.find((each) => each.about === about)?.grant;
      expect(grant && grantAllows(grant, path, access), `${access} ${path} under "${about}"`).toBe(allowed);
    }
  });
});

describe('patterns', () => {
  const vectors = PatternVectors.parse(read('patterns.json'));
  it('what is a path, a pattern, a folder', () => {
    for (const { path, valid } of vectors.paths) expect(isPath(path), JSON.stringify(path)).toBe(valid);
    for (const { pattern, valid } of vectors.patterns) expect(isPattern(pattern), JSON.stringify(pattern)).toBe(valid);
    for (const { prefix, valid } of vectors.prefixes) expect(isPrefix(prefix), JSON.stringify(prefix)).toBe(valid);
  });
  it('what they match', () => {
    for (const { patterns, path, matches } of vectors.matches) expect(matchesAny(patterns, path), `${patterns} on ${path}`).toBe(matches);
    for (const { prefix, path, under } of vectors.under) expect(isUnder(prefix, path), `${path} under ${prefix}`).toBe(under);
  });
  it('what lies within what', () => {
    for (const { inner, outer, within } of vectors.within) expect(isWithin(inner, outer), JSON.stringify([inner, outer])).toBe(within);
  });
});
