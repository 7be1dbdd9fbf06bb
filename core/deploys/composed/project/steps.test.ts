import { expect, test } from 'vitest';
import { ModelFailed } from '#sdk/typescript/authoring/errors.ts';
import { runLlm } from '#sdk/typescript/llm/run-llm.ts';
import { scriptedModels } from '#sdk/typescript/llm/scripted.ts';
import { chooseByModel, chooseSteps, type OfferedStep } from './choose.ts';
import { type Caller, inputsNeeded, runSteps, type Step, StepFailed, stepsNeeded, valuesOf } from './steps.ts';

const step = (id: string, args: Record<string, unknown> = {}, more: Partial<Step> = {}): Step => {
  const [agent = '', skill = ''] = id.split('.');
  return { id, agent, skill, args, required: true, repeatable: false, ...more };
};
const limits = { maxParallel: 2, maxReplans: 1 };

/**
 * Answers by step; a function may fail. Says what was called with what, and how many calls were open at most.
 */
function scripted(answers: Record<string, (args: Record<string, unknown>) => unknown> = {}) {
  const seen = { calls: [] as [string, Record<string, unknown>][], progress: [] as string[], most: 0 };
  let open = 0;
  let cancelled = false;
  const caller: Caller = {
    async call(agent, skill, args) {
      seen.calls.push([`${agent}.${skill}`, args]);
      open += 1;
      seen.most = Math.max(seen.most, open);
      try {
        await Promise.resolve();
        return { result: answers[`${agent}.${skill}`]?.(args) ?? {}, grantId: `grt_${agent}` };
      } finally {
        open -= 1;
      }
    },
    emitProgress: async (message) => void seen.progress.push(message),
    checkCancelled: () => {
      if (cancelled) throw new Error('cancelled by the caller');
    },
  };
  return { caller, seen, cancel: () => void (cancelled = true) };
}

test('a step starts when what it takes is there, and no more run side by side than may', async () => {
  const { caller, seen } = scripted({ 'a.find': () => ({ items: [{ text: 'first' }, { text: 'second' }] }), 'd.join': (args) => args });
  const steps = [
    step('d.join', { one: '$a.find.items.1.text', two: '$b.look', plain: '$$a.find' }),
    step('a.find', { q: '$input.question' }),
    step('b.look'),
    step('c.see'),
  ];
  const { results, steps: outcomes } = await runSteps(caller, steps, { question: 'why' }, limits);
  expect(results['d.join']).toEqual({ one: 'second', two: {}, plain: '$a.find' });
  expect(seen.calls.map(([id]) => id)).toEqual(['a.find', 'b.look', 'd.join', 'c.see']);
  expect(seen.calls[0]?.[1]).toEqual({ q: 'why' });
  expect(seen.most).toBe(2);
  expect(outcomes.map(({ id, state, grant_id }) => [id, state, grant_id])).toEqual([
    ['d.join', 'succeeded', 'grt_d'],
    ['a.find', 'succeeded', 'grt_a'],
    ['b.look', 'succeeded', 'grt_b'],
    ['c.see', 'succeeded', 'grt_c'],
  ]);
  expect(seen.progress).toHaveLength(4);
});

test('a required step that fails ends the run, and nothing new starts', async () => {
  const { caller, seen } = scripted({
    'a.find': () => {
      throw Object.assign(new Error('no such book'), { code: 'call_failed', calleeCode: 'book_not_found' });
    },
  });
  const run = runSteps(caller, [step('a.find'), step('b.use', { text: '$a.find.text' }), step('c.later', { text: '$b.use' })], {}, limits);
  const failed = await run.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StepFailed);
  expect(failed).toMatchObject({
    message: 'a.find failed: no such book (book_not_found)',
    outcome: { steps: [{ id: 'a.find', state: 'failed', attempts: 1 }] },
  });
  expect(seen.calls).toHaveLength(1);
});

test('what is not required may fail: what takes its result is left out, the rest is done', async () => {
  const refuse = () => {
    throw new Error('asleep');
  };
  const { caller } = scripted({ 'a.find': refuse });
  const optional = { required: false };
  const { results, steps } = await runSteps(
    caller,
    [step('a.find', {}, optional), step('b.use', { text: '$a.find.text' }, optional), step('c.see')],
    {},
    limits,
  );
  expect(Object.keys(results)).toEqual(['c.see']);
  expect(steps).toMatchObject([
    { id: 'a.find', state: 'failed', error: { code: 'call_failed', message: 'asleep' } },
    { id: 'b.use', state: 'skipped', attempts: 0, error: { code: 'call_failed' } },
    { id: 'c.see', state: 'succeeded' },
  ]);
  await expect(runSteps(caller, [step('a.find', {}, optional), step('b.use', { text: '$a.find.text' })], {}, limits)).rejects.toThrow(
    'b.use failed: a.find gave no result',
  );
});

test('only what may be repeated is called again, as often as there are replans', async () => {
  let left = 2;
  const flaky = () => {
    left -= 1;
    if (left >= 0) throw new Error('try again');
    return { text: 'ok' };
  };
  const again = scripted({ 'a.find': flaky });
  const { steps } = await runSteps(again.caller, [step('a.find', {}, { repeatable: true })], {}, { ...limits, maxReplans: 2 });
  expect(steps).toMatchObject([{ state: 'succeeded', attempts: 3 }]);
  left = 1;
  const once = scripted({ 'a.find': flaky });
  await expect(runSteps(once.caller, [step('a.find')], {}, { ...limits, maxReplans: 2 })).rejects.toThrow('try again');
  expect(once.seen.calls).toHaveLength(1);
});

test('a cancelled run calls nothing more and ends as cancelled', async () => {
  const { caller, seen, cancel } = scripted({
    'a.find': () => {
      cancel();
      throw new Error('cut off');
    },
  });
  await expect(runSteps(caller, [step('a.find', {}, { repeatable: true }), step('b.use', { text: '$a.find' })], {}, limits)).rejects.toThrow(
    'cancelled by the caller',
  );
  expect(seen.calls).toHaveLength(1);
});

test('steps that need each other are not called, and the run ends', async () => {
  const { caller, seen } = scripted();
  const { steps } = await runSteps(caller, [step('a.one', { x: '$b.two' }), step('b.two', { x: '$a.one' })], {}, limits);
  expect([steps, seen.calls]).toEqual([[], []]);
});

test('references are whole texts, at any depth; absent values leave their argument out; names of prototypes are names', () => {
  const args = { a: { deep: ['$x.y.0', 'see $x.y', '$$input.q'] }, b: '$input.none', c: '$x.y.constructor', d: null };
  expect([stepsNeeded(args), inputsNeeded(args)]).toEqual([['x.y'], ['none']]);
  expect(valuesOf(args, { input: {}, results: { 'x.y': [7] } })).toEqual({ a: { deep: [7, 'see $x.y', '$input.q'] }, d: null });
});

const offer = (id: string, about: string, args: Record<string, unknown> = {}): OfferedStep => ({ ...step(id, args), about });

test('a goal chooses the skills that share words with it, with what they take, within the limit', () => {
  const offered = [
    offer('library.search', 'Finds reports', { q: '$input.question' }),
    offer('writer.summarize', 'Writes summaries of texts', { text: '$library.search.text' }),
    offer('painter.paint', 'Paints pictures'),
    offer('mailer.send', 'Sends mail', { to: '$input.address' }),
  ];
  const ids = (goal: string, input: Record<string, unknown>, most = 8) => chooseSteps(offered, goal, input, most).map(({ id }) => id);
  expect(ids('a summary of the report', { question: 'q' })).toEqual(['library.search', 'writer.summarize']);
  expect(ids('paint a picture', { question: 'q' })).toEqual(['painter.paint']);
  // Without the question neither the search nor what takes its result can be called.
  expect(ids('a summary of the report', {})).toEqual(['painter.paint']);
  expect(ids('send mail', { question: 'q' })).toEqual(['library.search', 'writer.summarize', 'painter.paint']);
  expect(ids('a summary of the report', { question: 'q' }, 1)).toEqual(['library.search']);
});

test('a model that is there chooses; its ids are checked, what it takes comes along, and without it the words decide', async () => {
  const offered = [
    offer('library.search', 'Finds reports', { q: '$input.question' }),
    offer('writer.summarize', 'Writes summaries', { text: '$library.search.text' }),
    offer('mailer.send', 'Sends mail', { to: '$input.address' }),
  ];
  const models = (script: Parameters<typeof scriptedModels>[0]) => runLlm(() => scriptedModels(script), new AbortController().signal);
  const chosen = async (script: Parameters<typeof scriptedModels>[0]) =>
    (await chooseByModel(models(script), offered, 'Sum it up', { question: 'q' }, 8))?.map(({ id }) => id);
  let asked = '';
  const heard = await chosen((request) => {
    asked = JSON.stringify(request);
    return '{"steps":["writer.summarize"]}';
  });
  expect(heard).toEqual(['library.search', 'writer.summarize']);
  // The mailer lacks its argument: it is not offered.
  expect(asked).not.toContain('mailer.send');
  expect(await chosen(['{"steps":["mailer.send"]}', '{"steps":["nothing"]}'])).toBeUndefined();
  expect(await chosen(['{"steps":[]}'])).toBeUndefined();
  expect(await chosen([new ModelFailed('Add one', { code: 'no_model', status: 409 })])).toBeUndefined();
  expect(await chooseByModel(models([]), offered, 'Sum it up', {}, 8)).toBeUndefined();
});
