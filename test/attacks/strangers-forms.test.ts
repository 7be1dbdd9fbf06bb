// Strangers who fill a form of the studio's recipe: what they cost, and what they use up. Behind the ingress:
// recipes.test.ts.
import { expect, onTestFinished, test, vi } from 'vitest';
import { FormToRecord } from '#core/studio/recipe/form-to-record/project/agent.ts';
import { keep } from '#core/studio/recipe/form-to-record/project/records.ts';
import type { Memory, RunContext } from '#sdk/typescript/index.ts';
import { LocalMemories } from '#sdk/typescript/platform/local-memory.ts';
import { testAgent } from '#sdk/typescript/testing.ts';

// The recipe's own import, of this tree.
vi.mock('@svc/sdk', () => import('#sdk/typescript/index.ts'));

test('what strangers have submitted is counted by one look, however much that is; what the owner deletes makes room', async () => {
  const entries = new LocalMemories().sharedOf('form');
  let reads = 0;
  const sharedMemory: Memory = {
    ...entries,
    get: (...args) => ((reads += 1), entries.get(...args)),
    list: (...args) => ((reads += 1), entries.list(...args)),
  };
  const log = { warn: () => undefined };
  // Safe: of a run, the records use what is here.
  const ctx = { caller: null, sharedMemory, log } as unknown as RunContext;
  const submit = async (): Promise<number> => {
    const before = reads;
    await keep(ctx, { email: 'a@example.com' }, { unique: null, anonymousPerDay: 5_000 });
    return reads - before;
  };
  // Those of an agent that counted them each time.
  const kept = { namespace: 'records' };
  for (let n = 0; n < 990; n += 1) await entries.put(`anonymous/2026-01-01/${n}`, { values: {}, by: null }, kept);
  await submit();
  for (let n = 1; n < 10; n += 1) expect(await submit()).toBe(1);
  await expect(submit()).rejects.toThrow(/^There are 1000 records from callers who are not signed in/);
  await entries.delete('anonymous/2026-01-01/0', kept);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  onTestFinished(() => void vi.useRealTimers());
  await submit();
  await expect(submit()).rejects.toThrow(/^There are 1000 records/);
});

test('strangers who submit what is there already use up no place of the day', async () => {
  const agent = testAgent(FormToRecord);
  const submit = (email: string) => agent.invoke('submit', { email }, { caller: null });
  await submit('one@example.com');
  for (let n = 0; n < 60; n += 1) await expect(submit('one@example.com')).rejects.toThrow(/already/);
  await submit('two@example.com');
});
