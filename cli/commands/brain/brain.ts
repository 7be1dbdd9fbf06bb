// What the account knows from finished work: shown, looked after, corrected.
import { Command, Option } from 'clipanion';
import type { StatementOut } from '#contract/studio/company-brain.ts';
import { ApiCommand, integer } from '../../command-base.ts';
import { CliError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { plain, table } from '../../output.ts';

abstract class BrainCommand extends ApiCommand {
  json = Option.Boolean('--json', false, { description: 'print JSON' });
}

const counts = (of: Record<string, number>): string => Object.entries(of).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', '); // prettier-ignore
const sourced = ({ text, sources }: StatementOut): string => `- ${plain(text)}${sources.length === 0 ? ' (no source)' : ` [${sources.join(', ')}]`}`;

export class BrainStatusCommand extends BrainCommand {
  static override paths = [['brain'], ['brain', 'status']];
  static override usage = Command.Usage({
    description: 'show the memories of your account, their changes, and the waiting work',
    examples: [['Your account', 'svc brain']],
  });

  async execute(): Promise<number> {
    const status = await this.client().companyBrain.status();
    const { runtime, memories, dispatches, changes } = status;
    const when = `from ${String(runtime.daily_hour).padStart(2, '0')}:00 ${runtime.time_zone}, at most $${(runtime.daily_budget_cents / 100).toFixed(2)} a day`;
    const output = this.output(this.json);
    output.result(status, () => [
      runtime.enabled ? `On: each night ${when}` : output.advice('Off: switch it on with svc brain set --on'),
      `Memories: ${counts(memories)}; ${status.without_source} without a source`,
      `Work: ${counts(dispatches)}; spent today $${(status.spent_today_micros / 1e6).toFixed(4)}`,
      ...(changes.length === 0 ? [] : ['', ...table(['CHANGE', 'KIND', 'MEMORY', 'WHY'], changes.map((one) => [one.change_id, one.undone_at === null ? one.kind : 'undone', plain(one.text).slice(0, 60), plain(one.reason)]))]), // prettier-ignore
    ]);
    return EXIT.ok;
  }
}

export class BrainSetCommand extends BrainCommand {
  static override paths = [['brain', 'set']];
  static override usage = Command.Usage({
    description: 'switch the nightly work on or off, and set its time and budget',
    examples: [['Each night at four, teams for at most five dollars', 'svc brain set --on --hour 4 --zone Europe/Berlin --budget 500']],
  });

  on = Option.Boolean('--on', { description: 'switch it on (--no-on: off)' });
  hour = Option.String('--hour', { description: '0 to 23' });
  zone = Option.String('--zone', { description: 'IANA name of the time zone' });
  budget = Option.String('--budget', { description: 'US cents that teams may spend in a day; 0: no team starts automatically' });

  async execute(): Promise<number> {
    const body = {
      ...(this.on !== undefined && { enabled: this.on }),
      ...(this.hour !== undefined && { daily_hour: integer('--hour', this.hour, { min: 0, max: 23 }) }),
      ...(this.zone !== undefined && { time_zone: this.zone }),
      ...(this.budget !== undefined && { daily_budget_cents: integer('--budget', this.budget, { min: 0, max: 100_000 }) }),
    };
    const runtime = await this.client().companyBrain.runtime({ body });
    this.output(this.json).result(runtime, [runtime.enabled ? 'On.' : 'Off.']);
    return EXIT.ok;
  }
}

export class BrainNightCommand extends BrainCommand {
  static override paths = [['brain', 'night']];
  static override usage = Command.Usage({
    description: 'merge duplicates, list contradictions and age what is stale, now',
    examples: [['Without waiting for the night', 'svc brain night']],
  });

  async execute(): Promise<number> {
    const found = await this.client().companyBrain.dream();
    const output = this.output(this.json);
    output.result(found, () => [
      `${found.looked_at} memories, ${found.changes.length} changed, ${found.contradictions.length} contradictions`,
      ...found.changes.map(({ change_id, kind, text }) => `${kind}: ${plain(text)} ${output.advice(`(svc brain undo ${change_id})`)}`),
      ...found.contradictions.map(({ about, one, other }) => `contradicts: ${plain(about)} (${one}, ${other})`),
    ]);
    return EXIT.ok;
  }
}

export class BrainUndoCommand extends BrainCommand {
  static override paths = [['brain', 'undo']];
  static override usage = Command.Usage({
    description: 'undo a change of a memory',
    examples: [['One', 'svc brain undo bch_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11']],
  });

  change = Option.String({ name: 'CHANGE' });

  async execute(): Promise<number> {
    const change = await this.client().companyBrain.undoChange({ params: { change_id: this.change } });
    this.output(this.json).result(change, [`Current again: ${plain(change.text)}`]);
    return EXIT.ok;
  }
}

export class BrainFeedbackCommand extends BrainCommand {
  static override paths = [['brain', 'feedback']];
  static override usage = Command.Usage({
    description: 'rate an agent as good or bad, or a memory as true or false',
    examples: [
      ['An agent', 'svc brain feedback invoice-reader good --note "Right every time"'],
      ['A memory', 'svc brain feedback tmm_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11 bad'],
    ],
  });

  what = Option.String({ name: 'AGENT_OR_MEMORY' });
  verdict = Option.String({ name: 'VERDICT' });
  note = Option.String('--note', '', { description: 'why' });

  async execute(): Promise<number> {
    if (this.verdict !== 'good' && this.verdict !== 'bad') throw new CliError(`Give good or bad, not ${this.verdict}`);
    const said = { good: this.verdict === 'good', note: this.note };
    const body = this.what.startsWith('tmm_') ? { memory_id: this.what, ...said } : { agent: this.what, ...said };
    const given = await this.client().companyBrain.feedback({ body });
    this.output(this.json).result(given, ['Noted.']);
    return EXIT.ok;
  }
}

export class BrainTownhallCommand extends BrainCommand {
  static override paths = [['brain', 'townhall']];
  static override usage = Command.Usage({
    description: 'write the minutes: what was done and learnt, how agents stand, what waits for you',
    examples: [['Since the last ones', 'svc brain townhall']],
  });

  async execute(): Promise<number> {
    const minutes = await this.client().companyBrain.townhall();
    const lines = minutes.sections.flatMap(({ title, statements }) => [`# ${title}`, ...statements.map(sourced), '']);
    this.output(this.json).result(minutes, () => (lines.length === 0 ? ['Nothing happened.'] : lines));
    return EXIT.ok;
  }
}

export class BrainStaffCommand extends BrainCommand {
  static override paths = [['brain', 'staff']];
  static override usage = Command.Usage({
    description: 'show the state of agents, and propose which of yours to keep, improve or retire',
    details: 'It only proposes, and changes nothing.',
    examples: [['Unused for a month', 'svc brain staff --unused-days 30']],
  });

  unused = Option.String('--unused-days', '90', { description: 'days without a call after which retiring an agent is proposed' });

  async execute(): Promise<number> {
    const api = this.client().companyBrain;
    const population = await api.population();
    const selection = await api.selection({ body: { unused_days: integer('--unused-days', this.unused, { min: 7, max: 365 }) } });
    const agents = population.agents.map((one) => [one.agent, one.routing_state, `${Math.round(one.low * 100)} %`, `${one.calls}`]);
    const proposals = selection.proposals.map((one) => [one.agent, one.proposal, plain(one.reason)]);
    const unfilled = population.roles.filter(({ agents: able }) => able === 0).map(({ protocol, role }) => `${role} of ${protocol}`);
    this.output(this.json).result({ population, selection }, () => [
      ...table(['AGENT', 'ROUTING', 'AT LEAST', 'CALLS'], agents),
      '',
      ...table(['YOURS', 'PROPOSAL', 'WHY'], proposals),
      ...(unfilled.length === 0 ? [] : ['', `No agent for: ${unfilled.join(', ')}`]),
    ]);
    return EXIT.ok;
  }
}

export class BrainQueueCommand extends BrainCommand {
  static override paths = [['brain', 'queue']];
  static override usage = Command.Usage({
    description: 'queue work for a team; list queued work',
    examples: [
      ['Queue work', 'svc brain queue "Update the guide of the harbour" --protocol docs_update'],
      ['List queued work', 'svc brain queue'],
    ],
  });

  goal = Option.String({ required: false, name: 'GOAL' });
  protocol = Option.String('--protocol', { description: 'how the team works (default: single_agent_task)' });

  async execute(): Promise<number> {
    const api = this.client().companyBrain;
    const output = this.output(this.json);
    if (this.goal === undefined) {
      const { items } = await api.dispatches({ query: { limit: 50 } });
      const rows = items.map((one) => [one.dispatch_id, one.state, plain(one.goal).slice(0, 60), one.dag_run_id ?? plain(one.reason ?? '')]);
      output.result(items, () => (items.length === 0 ? [] : table(['WORK', 'STATE', 'GOAL', 'RUN, OR WHY NOT'], rows)));
      return EXIT.ok;
    }
    // Safe: the API knows its protocols, and says which there are.
    const protocol = this.protocol === undefined ? {} : { protocol: this.protocol as 'docs_update' };
    const made = await api.dispatch({ body: { goal: this.goal, ...protocol } });
    output.result(made, [made.dispatch_id]);
    output.hint('Give it to a team with: svc brain run');
    return EXIT.ok;
  }
}

export class BrainRunCommand extends BrainCommand {
  static override paths = [['brain', 'run']];
  static override usage = Command.Usage({
    description: 'assign the oldest queued work to teams, within the daily budget',
    examples: [['The next three', 'svc brain run']],
  });

  limit = Option.String('--limit,-n', '3', { description: 'how many' });

  async execute(): Promise<number> {
    const { items } = await this.client().companyBrain.runOnce({ body: { limit: integer('--limit', this.limit, { min: 1, max: 10 }) } });
    const output = this.output(this.json);
    output.result(items, items.map((one) => `${one.dispatch_id} ${one.state}${one.dag_run_id === null ? `: ${plain(one.reason ?? '')}` : output.advice(`: svc team show ${one.dag_run_id}`)}`)); // prettier-ignore
    if (items.length === 0) output.hint('Nothing was started: nothing waits, or the daily budget does not cover it (svc brain set --budget CENTS)');
    return EXIT.ok;
  }
}
