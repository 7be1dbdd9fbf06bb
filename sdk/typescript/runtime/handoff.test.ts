// A call that the platform holds until a person has decided: the run waits for it as for a question, and
// calls again.
import { describe, expect, it, vi } from 'vitest';
import { Agent } from '../authoring/agent.ts';
import { CallFailed } from '../authoring/errors.ts';
import { skill } from '../authoring/skill.ts';
import { localPlatform } from '../platform/local.ts';
import { serve } from '../test/serve.ts';
import type { RunPlatform, Settled } from './platform.ts';

const HELD = 'hof_0192f0c4-7b1e-8a3c-8d2e-5f6a7b8c9d0e';

class Caller extends Agent {
  name = 'caller';
  description = 'For tests.';
  version = '1.0.0';
  override concurrency = 1;
  go = skill({ timeoutSeconds: 0.5 }, async (ctx) => {
    try {
      return (await ctx.call('other', 'work', { a: 1 })).result;
    } catch (error) {
      return error instanceof CallFailed ? `${error.calleeCode}: ${error.message}` : 'other';
    }
  });
}

/** Whose calls end as told, one after the other; `settled`: what the platform knows of the wait. */
function platform(outcomes: (unknown | Error)[], settled: Settled | undefined | Error) {
  const local = localPlatform();
  const looked: string[] = [];
  const it: RunPlatform = {
    ...local,
    attach: (run) => ({
      ...local.attach(run),
      call: async () => {
        const outcome = outcomes.shift();
        if (outcome instanceof Error) throw outcome;
        return { result: outcome, events: [], artifacts: [], grantId: null };
      },
      lookAtHandoff: async (id) => {
        looked.push(id);
        if (settled instanceof Error) throw settled;
        return settled;
      },
      giveUp: async () => undefined,
    }),
  };
  return { it, looked };
}
const held = (): CallFailed => new CallFailed('other/work: a person is asked', { code: 'handoff_pending', status: 409, heldBy: HELD });
const headers = { 'content-type': 'application/json' };
const invoke = (url: string): Promise<unknown> => fetch(`${url}/invoke/go`, { method: 'POST', headers, body: '{}' }).then((response) => response.json());
const tell = (url: string, body: object): Promise<number> =>
  fetch(`${url}/answers/${HELD}`, { method: 'POST', headers, body: JSON.stringify(body) }).then((response) => response.status);

describe('a held call', () => {
  it('waits, gives up its place and its clock meanwhile, and is made again when let through', async () => {
    const { it: plane, looked } = platform([held(), 'other', 'done'], undefined);
    const agent = await serve(Caller, { platform: plane });
    const answer = invoke(agent.url);
    await vi.waitFor(() => expect(looked).toEqual([HELD]));
    // Longer than the skill may run: the clock stands still. And another run finds its place free.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await invoke(agent.url)).toBe('other');
    expect(await tell(agent.url, { approved: true })).toBe(200);
    expect(await answer).toBe('done');
    expect(await tell(agent.url, { approved: true })).toBe(404);
  });

  it('gets a denial and a deadline as call_denied', async () => {
    for (const [body, says] of [
      [{ denied: { reason: 'not now' } }, 'call_denied: the call was denied: not now'],
      [{ expired: true }, 'call_denied: the call was not decided in time'],
    ] as const) {
      const { it: plane, looked } = platform([held()], undefined);
      const agent = await serve(Caller, { platform: plane });
      const answer = invoke(agent.url);
      await vi.waitFor(() => expect(looked).toHaveLength(1));
      expect(await tell(agent.url, body)).toBe(200);
      expect(await answer).toBe(says);
    }
  });

  it('that was decided before the run could wait goes on at once', async () => {
    const { it: plane } = platform([held(), 'done'], { state: 'allowed' });
    const agent = await serve(Caller, { platform: plane });
    expect(await invoke(agent.url)).toBe('done');
  });

  it('is not believed of another agent: what the platform does not hold is a refusal, and one decision lets through once', async () => {
    const unknown = await serve(Caller, { platform: platform([held(), 'never'], new Error('404')).it });
    expect(await invoke(unknown.url)).toBe('handoff_pending: other/work: a person is asked');
    const again = await serve(Caller, { platform: platform([held(), held(), 'never'], { state: 'allowed' }).it });
    expect(await invoke(again.url)).toBe('handoff_pending: other/work: a person is asked');
  });
});
