// Agents, and models without one, answer every case of a trial room.
import { randomUUID } from 'node:crypto';
import { Option } from 'clipanion';
import type { TrialContestant } from '#contract/studio/trial-rooms.ts';
import { customCommand } from '../../lib/command.ts';
import { CliError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { followed } from '../../simulations/follow.ts';
import { roomLines } from '../../trials/show.ts';

export const run = customCommand('trials run', {
  about: 'let agents, or a model without an agent, answer every case of a trial room',
  examples: [
    ['Two agents and the default model, side by side', 'svc trials run invoice-reader reader-a.read reader-b.total --model default --follow'],
    ['Set where arguments come from', 'svc trials run invoice-reader reader-a.read --map document=/inputs/text'],
  ],
  arguments: { room: 'ROOM', agents: '[AGENT...]' },
  options: () => ({
    models: Option.Array('--model', [], { description: 'a model as a baseline: default, MODEL, or CREDENTIAL/MODEL; several times for several' }),
    map: Option.Array('--map', [], { description: 'ARGUMENT=POINTER for the agents: /inputs/…, /goal or /files' }),
    follow: Option.Boolean('--follow,-f', false, { description: 'wait until all have answered, and show how each scored' }),
  }),
  run: async ({ room: slug, agents, models, map, follow }, { client: { trialRooms }, output }) => {
    const contestants = [...agents.map((agent) => agentOf(agent, map)), ...models.map(modelOf)];
    if (contestants.length === 0) throw new CliError('Name an agent (AGENT or AGENT.SKILL), or a model (--model default)');
    const params = { slug };
    const { items } = await trialRooms.run({ params, headers: { 'idempotency-key': `cli-${randomUUID()}` }, body: { contestants } });
    if (!follow) return { items, room: undefined };
    const mine = new Set(items.map(({ run_id }) => run_id));
    const { room } = await followed(output, async () => {
      const now = await trialRooms.get({ params });
      const runs = now.contestants.filter(({ run_id }) => mine.has(run_id));
      const results = runs.flatMap((one) => one.results);
      return { room: now, state: runs.every(({ ended_at }) => ended_at !== null) ? 'succeeded' : 'running', done: results.filter(({ state }) => state === 'done').length, total: results.length }; // prettier-ignore
    });
    return { items, room };
  },
  json: ({ items, room }) => room ?? items,
  lines: ({ items, room }) => (room ? roomLines(room) : items.map(({ run_id }) => run_id)),
  hint: ({ room }, { room: slug }) => (room ? undefined : `See them with: svc trials get ${slug}`),
  exit: ({ items, room }) => {
    const mine = room?.contestants.filter(({ run_id }) => items.some((one) => one.run_id === run_id)) ?? [];
    return mine.some(({ state }) => state !== 'succeeded') ? EXIT.failure : EXIT.ok;
  },
});

function agentOf(text: string, maps: readonly string[]): TrialContestant {
  const [agent = '', skill] = text.split('.');
  const map = maps.map((one) => {
    const at = one.indexOf('=');
    if (at < 1) throw new CliError(`--map needs ARGUMENT=POINTER, e.g. document=/inputs/text, and not ${one}`);
    return [one.slice(0, at), one.slice(at + 1)];
  });
  return { agent, ...(skill !== undefined && { skill }), ...(map.length > 0 && { map: Object.fromEntries(map) }) };
}

function modelOf(text: string): TrialContestant {
  if (text === 'default') return { model: {} };
  const at = text.indexOf('/');
  return { model: at < 0 ? { model: text } : { credential: text.slice(0, at), model: text.slice(at + 1) } };
}
