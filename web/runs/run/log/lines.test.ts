import { expect, test } from 'vitest';
import { entryOf, foldStack, reasonIn } from './lines.ts';

const STACK = `Error: no stock
    at Shop.order (/app/shop.ts:7:11)
    at invoke (/app/node_modules/@svc/sdk/runtime/run.ts:90:3)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)`;
const line = (value: object | string) => ({ at: '2026-12-01T00:00:00.000Z', source: 'agent' as const, stream: 'stderr' as const, text: typeof value === 'string' ? value : JSON.stringify(value) }); // prettier-ignore

test('frames of the SDK and of the language are folded, those of the author stay', () => {
  expect(foldStack(STACK)).toEqual({ text: 'Error: no stock\n    at Shop.order (/app/shop.ts:7:11)', folded: 2, whole: STACK });
  const python =
    'Traceback (most recent call last):\n  File "/usr/lib/python3/site-packages/svc/run.py", line 1\n  File "/app/agent.py", line 9\nValueError: no';
  expect(foldStack(python)).toMatchObject({ folded: 1, text: 'Traceback (most recent call last):\n  File "/app/agent.py", line 9\nValueError: no' });
  expect(foldStack('Error: x\n    at a (node:internal/a:1:1)').folded).toBe(0);
});

test('the entry with a trace is why it failed; text that is no entry is shown as it is', () => {
  const entries = [line({ level: 'info', message: 'begins', run_id: 'run_1', item: 'pen' }), line({ level: 'error', message: 'skill failed', error: 'no stock', error_name: 'StockError', stack: STACK }), line('plain {')].map(entryOf); // prettier-ignore
  expect(entries.map(({ level, message, fields }) => [level, message, fields])).toEqual([
    ['info', 'begins', 'item=pen'],
    ['error', 'skill failed', ''],
    ['error', 'plain {', ''],
  ]);
  expect(reasonIn(entries)?.error).toBe('StockError: no stock');
  expect(reasonIn([])).toBeUndefined();
});
