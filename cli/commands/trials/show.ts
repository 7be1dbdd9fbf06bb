import { Command, Option } from 'clipanion';
import { ApiCommand, integer } from '../../command-base.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

export class TrialsListCommand extends ApiCommand {
  static override paths = [['trials'], ['trials', 'list']];
  static override usage = Command.Usage({ description: 'list your trial rooms, newest first', examples: [['The last twenty', 'svc trials']] });

  limit = Option.String('--limit,-n', '20', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { items } = await this.client().trialRooms.list({ query: { limit: integer('--limit', this.limit, { min: 1, max: 200 }) } });
    const output = this.output(this.json);
    if (items.length === 0) output.hint('None. Make one with: svc trials create --title TITLE --goal GOAL --case \'{"text": "…"}\'');
    const rows = items.map((room) => [room.slug, room.state, `${room.cases}`, `${room.runs}`, plain(room.title).slice(0, 60)]);
    output.result(items, () => (items.length === 0 ? [] : table(['ROOM', 'STATE', 'CASES', 'RUNS', 'TITLE'], rows)));
    return EXIT.ok;
  }
}

export class TrialsShowCommand extends ApiCommand {
  static override paths = [['trials', 'show']];
  static override usage = Command.Usage({
    description: 'show a trial room: who answered, and how each scored',
    details: 'With RUN: every answer of that contestant, with the reasons of its score.',
    examples: [
      ['A room', 'svc trials show invoice-reader'],
      ['The answers of one', 'svc trials show invoice-reader trl_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11'],
    ],
  });

  room = Option.String({ name: 'ROOM' });
  run = Option.String({ required: false, name: 'RUN' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { roomLines, runLines } = await import('../../trials/show.ts');
    const room = await this.client().trialRooms.get({ params: { slug: this.room } });
    const output = this.output(this.json);
    if (this.run === undefined) {
      output.result(room, () => roomLines(room));
      return EXIT.ok;
    }
    const { CliError } = await import('../../errors.ts');
    const run = room.contestants.find(({ run_id }) => run_id === this.run);
    if (!run) throw new CliError(`${this.room} has no run ${this.run}: see svc trials show ${this.room}`);
    output.result(run, () => runLines(run));
    return EXIT.ok;
  }
}

export class TrialsCheckCommand extends ApiCommand {
  static override paths = [['trials', 'check']];
  static override usage = Command.Usage({
    description: 'fail where the newest version of a contestant does worse than the one before',
    details: 'For CI. Ends with 1 where the whole interval of the difference is below 0, or the newest run did not succeed.',
    examples: [['After a deploy, in a room with --on-deploy', 'svc trials check invoice-reader']],
  });

  room = Option.String({ name: 'ROOM' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { points, whoOf } = await import('../../trials/show.ts');
    const { contestants } = await this.client().trialRooms.get({ params: { slug: this.room } });
    const newest = new Map<string, (typeof contestants)[number]>();
    for (const run of contestants.toSorted((a, b) => a.created_at.localeCompare(b.created_at)))
      newest.set(run.contestant === null ? run.label : `${run.contestant.agent ?? run.contestant.model}/${run.contestant.skill ?? ''}`, run);
    const rows = [...newest.values()].map((run) => ({ run, isBad: run.compared?.verdict === 'worse' || run.state === 'failed' || run.state === 'cancelled' }));
    this.output(this.json).result(
      rows.map(({ run, isBad }) => ({ run_id: run.run_id, contestant: run.contestant, state: run.state, compared: run.compared, ok: !isBad })),
      () => rows.map(({ run, isBad }) => `${isBad ? 'bad' : 'ok '} ${plain(whoOf(run))}: ${run.compared ? `${run.compared.verdict}, ${points(run.compared.gain.mean)} points` : run.state}`), // prettier-ignore
    );
    return rows.some(({ isBad }) => isBad) ? EXIT.failure : EXIT.ok;
  }
}
