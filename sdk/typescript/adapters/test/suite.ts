// What every adapter must do, with the real framework and a scripted model: each framework is a declaration,
// and the tests that are its own.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Provider, startProvider } from '../../../../test/support/provider/provider.ts';
import type { Outcome } from './driver.ts';
import { call, MODEL_EXAMPLES, type ModelExample, refundOrder } from './examples.ts';
import { type AdapterProject, adapterProject, versionsToTest } from './project.ts';
import { expectLeaving, textsIn, toolsIn } from './steps.ts';

export interface Adapter {
  /** Packages of each version, the newest last. */
  versions: Readonly<Record<string, string[]>>;
  /**
   * Of the project, beside the example: more.ts with agents for what the example does not show, typed.ts with
   * what must and must not compile.
   */
  files: (version: string) => Readonly<Record<string, string>>;
}

export interface ModelAdapter extends Adapter {
  example: keyof typeof MODEL_EXAMPLES;
  /** What a person is asked; default: the one question of adapters about a tool. */
  question?: string;
  /** The model's last words in a result; default: the result. */
  saidIn?: (result: unknown) => unknown;
  /**
   * What a person says who declines, and what of it the model then hears, where the framework passes it on.
   */
  decline: { answer: string; heard?: RegExp };
  /** What is the framework's own in the run with an approval. */
  alsoApproved?: (ran: Outcome) => void;
  /** more.ts exports a `Sender` whose tool asks; false: the framework's own tests show the same. */
  sender?: false;
  /**
   * more.ts exports a `Judge` with typed input and output; false: the framework's own tests show the same.
   */
  judge?: false;
}

/** For tests of a framework's own. */
export interface Proved {
  /** With the scripted model at hand. */
  call: (wanted: Parameters<AdapterProject['call']>[0]) => Promise<Outcome>;
  card: AdapterProject['card'];
  /** Of a file in the project. */
  linesOf: (name: string) => Promise<string[]>;
  /** The model's next turns; what it was asked counts from here. */
  script: (turns: Provider['turns']) => Provider;
}

interface Running {
  project: AdapterProject;
  provider: Provider;
}

/** Of every adapter, with a model or without. */
export function proveTypes(example: string, { versions, files }: Adapter, own: (at: Proved, running: () => Running) => void): void {
  describe.each(versionsToTest(versions))('%s', (version, packages) => {
    let running: Running | undefined;
    const now = (): Running => {
      if (!running) throw new Error('the project was not made');
      return running;
    };
    beforeAll(async () => {
      const [project, provider] = await Promise.all([adapterProject(packages, { example, files: files(version) }), startProvider()]);
      running = { project, provider };
    }, 600_000);
    afterAll(async () => {
      await running?.provider.close();
      await running?.project.remove();
    });
    const at: Proved = {
      call: (wanted) => now().project.call(wanted, now().provider),
      card: (file) => now().project.card(file),
      linesOf: async (name) => (await readFile(join(now().project.folder, name), 'utf8').catch(() => '')).split('\n').slice(0, -1),
      script: (turns) => {
        const { provider } = now();
        provider.asked.length = 0;
        provider.turns = turns;
        return provider;
      },
    };

    test('its types fit, the example’s too', async () => {
      expect(await now().project.typeErrors()).toBe('');
    });
    own(at, now);
  });
}

/** Of every adapter whose agents have a model. */
export function proveAdapter(adapter: ModelAdapter, own: (at: Proved) => void = () => undefined): void {
  const example: ModelExample = MODEL_EXAMPLES[adapter.example];
  const { saidIn = (result: unknown) => result } = adapter;
  const first = example.first ? [{ calls: [example.first] }] : [];
  const run = (message: string) => ({ skill: 'run', args: example.args(message) });
  const approval = typeof example.approve === 'string' ? example.approve : JSON.stringify(example.approve);

  proveTypes(adapter.example, adapter, (at, now) => {
    const refunds = async (): Promise<number> => (await at.linesOf('refunds.jsonl')).length;

    test('the example: an approval is a question, and the tool then runs once', async () => {
      const before = await refunds();
      const says = ['I have ', 'paid it ', 'back.'];
      const turns = [...first, { calls: [call('lookUpOrder', { orderId: 'o-1' })] }, { calls: [refundOrder('o-1', 120)] }, { says }];
      const provider = at.script([...turns]);
      const ran = await at.call({ ...run('Refund o-1'), answers: [approval] });
      expect(saidIn(ran.result)).toBe('I have paid it back.');
      expect(ran.questions).toEqual([adapter.question ?? 'May the agent call refundOrder with {"orderId":"o-1","amount":120}?']);
      expect(await refunds()).toBe(before + 1);
      // Nothing was run again: one request for each turn.
      expect(provider.asked).toHaveLength(turns.length);
      expect(textsIn(ran)).toEqual(says);
      const phases = ['lookUpOrder', 'refundOrder'].flatMap((name) => ['started', 'finished'].map((phase) => [name, phase]));
      expect(toolsIn(ran)).toEqual(phases);
      adapter.alsoApproved?.(ran);
    });

    test('what is declined does not run', async () => {
      const before = await refunds();
      const provider = at.script([...first, { calls: [refundOrder('o-2', 5)] }, { says: ['It was not approved.'] }]);
      const ran = await at.call({ ...run('Refund o-2'), answers: [adapter.decline.answer] });
      expect(saidIn(ran.result)).toBe('It was not approved.');
      expect(await refunds()).toBe(before);
      const { heard } = adapter.decline;
      if (heard) expect(JSON.stringify(provider.asked.at(-1)?.body)).toMatch(heard);
    });

    if (adapter.sender !== false) proveSender(at);
    if (adapter.judge !== false) proveJudge(at);
    own(at);

    test('a caller that goes away ends the request to the model', async () => {
      const { project, provider } = now();
      await expectLeaving(project, provider, example.args('Talk'));
    });

    test('an error of the model fails the run', async () => {
      at.script([]).next = [{ status: 400, body: '{"error":{"message":"no such model","type":"invalid_request_error"}}' }];
      expect((await at.call(run('x'))).error).toMatch(/no such model/);
    });
  });
}

function proveSender(at: Proved): void {
  test('a tool asks on its own, in place', async () => {
    const provider = at.script([{ calls: [call('send', { to: 'ada' })] }, { says: ['Done.'] }]);
    const ran = await at.call({ file: './more.ts', exported: 'Sender', skill: 'run', args: { message: 'Send' }, answers: ['go'] });
    expect(ran).toMatchObject({ result: 'Done.', questions: ['Send to ada?'] });
    expect(JSON.stringify(provider.asked.at(-1)?.body)).toContain('go');
  });
}

function proveJudge(at: Proved): void {
  test('input and output are typed, on the card and at the call', async () => {
    at.script([{ says: ['{"verdict":"yes",', '"why":"seen"}'] }]);
    const judge = { file: './more.ts', exported: 'Judge', skill: 'judge' };
    const { result, card } = await at.call({ ...judge, args: { claim: 'It rains' } });
    expect(result).toEqual({ verdict: 'yes', why: 'seen' });
    expect(card.skills[0]).toMatchObject({
      input_schema: { properties: { claim: { type: 'string' } }, required: ['claim'] },
      output_schema: { properties: { verdict: { enum: ['yes', 'no'] } } },
    });
    expect((await at.call({ ...judge, args: { message: 'x' } })).error).toMatch(/^SkillInputError/);
  });
}
