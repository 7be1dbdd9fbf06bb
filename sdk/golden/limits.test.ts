import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LEEWAY_SECONDS } from '../../contract/crypto/grant-token.ts';
import { MAX_CANONICAL_DEPTH } from '../../contract/wire/canonical.ts';
import { GRANT_TTL_SECONDS, MAX_GRANT_TOKEN_LENGTH, MAX_PATTERNS } from '../../contract/wire/grant.ts';
import { MAX_PATH_LENGTH, MAX_PATTERN_LENGTH } from '../../contract/wire/patterns.ts';
import { MAX_FRAME_LENGTH, MAX_UNACKNOWLEDGED_EVENTS } from '../../contract/wire/worker.ts';
import { MAX_ANSWER_LENGTH, MAX_EVENTS } from '../typescript/platform/a2a-client.ts';
import { MAX_BYTES, MAX_PAGES } from '../typescript/platform/discovery.ts';
import { MAX_REASON } from '../typescript/runtime/vitals.ts';
import { MAX_TRACE } from '../typescript/sidecar/errors.ts';

test('the limits that every SDK keeps', async () => {
  expect(JSON.parse(await readFile(new URL('limits.json', import.meta.url), 'utf8'))).toEqual({
    grant_ttl_seconds: GRANT_TTL_SECONDS,
    grant_leeway_seconds: LEEWAY_SECONDS,
    grant_token_length: MAX_GRANT_TOKEN_LENGTH,
    grant_patterns: MAX_PATTERNS,
    path_length: MAX_PATH_LENGTH,
    pattern_length: MAX_PATTERN_LENGTH,
    canonical_depth: MAX_CANONICAL_DEPTH,
    frame_length: MAX_FRAME_LENGTH,
    unacknowledged_events: MAX_UNACKNOWLEDGED_EVENTS,
    health_reason_length: MAX_REASON,
    trace_length: MAX_TRACE,
    answer_length: MAX_ANSWER_LENGTH,
    answer_events: MAX_EVENTS,
    discovery_bytes: MAX_BYTES,
    discovery_pages: MAX_PAGES,
  });
});

test.each([
  ['go/main.go', /maxFrameLength = ([\d *]+)/],
  ['rust/src/main.rs', /MAX_FRAME_LENGTH: u64 = ([\d *]+);/],
])('%s reads frames as long as the runtime sends', async (file, stated) => {
  const source = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
  const factors = stated.exec(source)?.[1]?.split('*').map(Number) ?? [];
  expect(factors.reduce((product, factor) => product * factor, 1)).toBe(MAX_FRAME_LENGTH);
});
