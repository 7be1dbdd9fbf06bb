// What callers send who mean no good, by kind. The walker (walk.ts) puts it into valid calls.
import { encodeCursor } from '#core/kernel/page.ts';

/** Types and shapes, as JSON. */
export const VALUES: readonly unknown[] = ['text', [], 7, true, null, { '\u0000': 1 }];
/** Text that is no JSON document. */
export const BROKEN_JSON = ['{', '{"a":1}}'];
/** Texts in a path or a query: signs, space, size, sign of a number, encoding. */
export const TEXTS = ['!!', ' ', 'x'.repeat(5_000), '-1', '\u{1F600}'];
/** Integers that JavaScript holds and columns do not. */
export const NUMBERS = ['2147483648', '99999999999', '999999999999999', '-2147483649', '9223372036854775808'];
/** Places in lists, beyond every column. */
export const CURSORS = [
  ...[2 ** 31, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].flatMap((n) => [
    encodeCursor([n]),
    encodeCursor([n, 'x']),
    encodeCursor([n, '']),
  ]),
  '99999999999.0',
  '2147483648.1',
];
/** Ids of the last event that was seen. */
export const EVENT_IDS = [...NUMBERS, 'x', '1e9', '\u00ff'];
/** In place of a token. */
export const FORGED_TOKEN = 'svc_forged';
