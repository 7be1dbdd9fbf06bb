import { expect, test } from 'vitest';
import { readTraceparent, writeTraceparent } from './trace-context.ts';

const trace_id = '0af7651916cd43dd8448eb211c80319c';
const span_id = 'b7ad6b7169203331';

test('what is written is read, of this version and of later ones', () => {
  for (const sampled of [true, false]) expect(readTraceparent(writeTraceparent({ trace_id, span_id, sampled }))).toEqual({ trace_id, span_id, sampled });
  expect(readTraceparent(` 00-${trace_id}-${span_id}-02 `)).toEqual({ trace_id, span_id, sampled: false });
  expect(readTraceparent(`cc-${trace_id}-${span_id}-01-what-comes-later`)).toEqual({ trace_id, span_id, sampled: true });
});

test('what is no trace context is ignored', () => {
  for (const junk of [
    undefined,
    7,
    '',
    'junk',
    `ff-${trace_id}-${span_id}-01`,
    `00-${trace_id}-${span_id}-01-more`,
    `00-${trace_id}-${span_id}-01, 00-${trace_id}-${span_id}-01`,
    `cc-${trace_id}-${span_id}-01.more`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${trace_id.slice(1)}-${span_id}-01`,
    `00-${trace_id}-${span_id}-1`,
    `00-${trace_id}-${span_id}`,
    `cc-${trace_id}-${span_id}-01-${'x'.repeat(600)}`,
  ])
    expect(readTraceparent(junk), String(junk)).toBeUndefined();
});
