// What is done to a trial room: make it, let contestants answer, rate them, select one.
import { randomUUID } from 'node:crypto';
import { Command, Option } from 'clipanion';
import type { z } from 'zod';
import type { TrialContestant, TrialRoomIn } from '#contract/studio/trial-rooms.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { CliError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain } from '../../output.ts';

export class TrialsCreateCommand extends ApiCommand {
  static override paths = [['trials', 'create']];
  static override usage = Command.Usage({
    description: 'make a trial room: one task that several agents answer side by side',
    details: 'FILE is JSON with the fields of a room; options override it.',
    examples: [
      ['Two cases with what their answers must contain', 'svc trials create --title "Invoice reader" --goal "Read the total" --case \'{"inputs": {"text": "Total: 5"}, "facts": ["5"]}\''], // prettier-ignore
      ['A regression suite from a dataset', 'svc trials create --title Totals --goal "Read the total" --dataset invoice-reader/totals --on-deploy'],
      ['From a file', 'svc trials create room.json'],
    ],
  });

  file = Option.String({ required: false, name: 'FILE' });
  title = Option.String('--title');
  slug = Option.String('--slug', { description: 'its name in commands (default: made from the title)' });
  goal = Option.String('--goal', { description: 'the task in words' });
  cases = Option.Array('--case', [], { description: 'JSON: {"name", "inputs", "expected", "facts"}; several times for several' });
  dataset = Option.String('--dataset', { description: 'AGENT/DATASET: its examples become the cases' });
  criteria = Option.Array('--criterion', [], { description: 'what a good answer is, in words; several times for several' });
  files = Option.Array('--path', [], { description: 'files of yours that contestants may read; several times for several' });
  onDeploy = Option.Boolean('--on-deploy', { description: 'run new versions of your contestants automatically' });
  open = Option.Boolean('--open', { description: 'show who each contestant is before you have rated' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { readJsonFile } = await import('../../json-file.ts');
    const given = this.file === undefined ? {} : await readJsonFile(this.file, 'name a JSON file with a trial room');
    // Safe: the API checks it, and says what of it is wrong.
    const body = { ...(given as object), ...this.said() } as z.input<typeof TrialRoomIn>;
    const room = await this.client().trialRooms.create({ body });
    const output = this.output(this.json);
    output.result(room, [room.slug]);
    output.hint(`Let agents answer with: svc trials run ${room.slug} AGENT.SKILL`);
    return EXIT.ok;
  }

  private said(): object {
    const { title, slug, goal, onDeploy, open } = this;
    return {
      ...(title !== undefined && { title }),
      ...(slug !== undefined && { slug }),
      ...(goal !== undefined && { goal }),
      ...(this.cases.length > 0 && { cases: this.cases.map((text) => jsonOf('--case', text)) }),
      ...(this.dataset !== undefined && { dataset: datasetOf(this.dataset) }),
      ...(this.criteria.length > 0 && { acceptance_criteria: this.criteria.map((text) => ({ text })) }),
      ...(this.files.length > 0 && { input_paths: this.files }),
      ...(onDeploy !== undefined && { on_deploy: onDeploy }),
      ...(open !== undefined && { blind: !open }),
    };
  }
}

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

export class TrialsRateCommand extends ApiCommand {
  static override paths = [['trials', 'rate']];
  static override usage = Command.Usage({
    description: 'rate the answers of a contestant, 0 to 100',
    examples: [['With a word on why', 'svc trials rate invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 80 --notes "Terse, and right"']],
  });

  room = Option.String({ name: 'ROOM' });
  run = Option.String({ name: 'RUN' });
  score = Option.String({ name: 'SCORE' });
  notes = Option.String('--notes', '', { description: 'why' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const score = integer('SCORE', this.score, { min: 0, max: 100 });
    const run = await this.client().trialRooms.rate({ params: { slug: this.room, run_id: this.run }, body: { score, notes: this.notes } });
    const { whoOf } = await import('../../trials/show.ts');
    this.output(this.json).result(run, [`Rated ${score}: ${plain(whoOf(run))}`]);
    return EXIT.ok;
  }
}

export class TrialsSelectCommand extends ApiCommand {
  static override paths = [['trials', 'select']];
  static override usage = Command.Usage({
    description: 'select a contestant: the room is decided, and keeps why',
    examples: [['The best', 'svc trials select invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 --reason "Right on every case"']],
  });

  room = Option.String({ name: 'ROOM' });
  run = Option.String({ name: 'RUN' });
  reason = Option.String('--reason', { required: true, description: 'why; it is kept' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const room = await this.client().trialRooms.select({ params: { slug: this.room, run_id: this.run }, body: { reason: this.reason } });
    const { roomLines } = await import('../../trials/show.ts');
    this.output(this.json).result(room, () => roomLines(room));
    return EXIT.ok;
  }
}

function jsonOf(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${option} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function datasetOf(text: string): object {
  const [agent, dataset] = text.split('/');
  if (!agent || !dataset) throw new CliError('--dataset needs AGENT/DATASET, e.g. invoice-reader/totals');
  return { agent, dataset };
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
