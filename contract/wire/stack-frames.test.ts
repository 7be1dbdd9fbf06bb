import { expect, test } from 'vitest';
import { foldFrames } from './stack-frames.ts';

test('frames of the SDK and of Node are one line, wherever they stand; the author’s stay', () => {
  const stack = [
    'TypeError: name.missing is not a function',
    '    at Greeter.greet (/home/ada/greeter/agent.ts:12:31)',
    '    at Executor.#run (/home/ada/greeter/node_modules/@svc/sdk/dist/runtime/executor.js:10:3)',
    '    at AsyncLocalStorage.run (node:internal/async_local_storage/async_hooks:91:14)',
    '    at async Promise.all (index 0)',
    '    at helper (/home/ada/greeter/lib/helper.ts:3:1)',
    '    at Module._compile (node:internal/modules/cjs/loader:1234:14)',
  ].join('\n');
  expect(foldFrames(stack).split('\n')).toEqual([
    'TypeError: name.missing is not a function',
    '    at Greeter.greet (/home/ada/greeter/agent.ts:12:31)',
    '    … 3 frames of the SDK and of Node; --verbose shows them',
    '    at helper (/home/ada/greeter/lib/helper.ts:3:1)',
    '    … 1 frame of Node; --verbose shows it',
  ]);
  const python = 'KeyError: name (agent.py:12, in greet)\n  File "agent.py", line 12, in greet\n  … 2 frames in svc';
  expect(foldFrames(python)).toBe(python);
});
