// Agents, and models without one, answer every case of a trial room.
import { randomUUID } from 'node:crypto';
import { Command, Option } from 'clipanion';
import type { TrialContestant } from '#contract/studio/trial-rooms.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { CliError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';

export class TrialsRunCommand extends ApiCommand {
  static override paths = [['trials', 'run']];
  static override usage = Command.Usage({
    description: 'let agents, or a model without an agent, answer every case of a trial room',
    examples: [
      ['Two agents and the default model, side by side', 'svc trials run invoice-reader reader-a.read reader-b.total --model default --follow'],
      ['Set where arguments come from', 'svc trials run invoice-reader reader-a.read --map document=/inputs/text'],
    ],
  });

  room = Option.String({ name: 'ROOM' });
  agents = Option.Rest({ name: 'AGENT' });
  models = Option.Array('--model', [], { description: 'a model as a baseline: default, MODEL, or CREDENTIAL/MODEL; several times for several' });
  map = Option.Array('--map', [], { description: 'ARGUMENT=POINTER for the agents: /inputs/…, /goal or /files' });
  follow = Option.Boolean('--follow,-f', false, { description: 'wait until all have answered, and show how each scored' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const contestants = [...this.agents.map((agent) => agentOf(agent, this.map)), ...this.models.map(modelOf)];
    if (contestants.length === 0) throw new CliError('Name an agent (AGENT or AGENT.SKILL), or a model (--model default)');
    const api = this.client().trialRooms;
    const output = this.output(this.json);
    const params = { slug: this.room };
    const { items } = await api.run({ params, headers: { 'idempotency-key': `cli-${randomUUID()}` }, body: { contestants } });
    if (!this.follow) {
      output.result(items, items.map(({ run_id }) => run_id)); // prettier-ignore
      output.hint(`See them with: svc trials show ${this.room}`);
      return EXIT.ok;
    }
    const { followed } = await import('../../simulations/follow.ts');
    const { roomLines } = await import('../../trials/show.ts');
    const mine = new Set(items.map(({ run_id }) => run_id));
    const { room } = await followed(output, async () => {
      const now = await api.get({ params });
      const runs = now.contestants.filter(({ run_id }) => mine.has(run_id));
      const results = runs.flatMap((run) => run.results);
      return { room: now, state: runs.every(({ ended_at }) => ended_at !== null) ? 'succeeded' : 'running', done: results.filter(({ state }) => state === 'done').length, total: results.length }; // prettier-ignore
    });
    output.result(room, () => roomLines(room));
    return room.contestants.some(({ run_id, state }) => mine.has(run_id) && state !== 'succeeded') ? EXIT.failure : EXIT.ok;
  }
}

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
