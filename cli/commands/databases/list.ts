import { Command, Option } from 'clipanion';
import type { DatabaseProjectDetailOut, DatabaseQuotaOut } from '#contract/agents/databases.ts';
import { ApiCommand } from '../../command-base.ts';
import { plain, table } from '../../output.ts';
import { mib, projectId } from './find.ts';

export class DatabasesListCommand extends ApiCommand {
  static override paths = [['databases'], ['databases', 'list']];
  static override usage = Command.Usage({ description: 'list your databases', examples: [['The newest first', 'svc databases list']] });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const page = await this.client().databases.list({ query: { limit: 200 } });
    const output = this.output(this.json);
    const rows = page.items.map((one) => [one.name, one.state, one.allowance, `${mib(one.size_bytes)} of ${mib(one.max_bytes)}`, String(one.connections)]);
    output.result(page, () => (rows.length === 0 ? [] : [...table(['DATABASE', 'STATE', 'ALLOWED', 'SIZE', 'CONNECTIONS'], rows), '', usedOf(page.quota)]));
    if (rows.length === 0) output.hint('No databases. Create one with: svc databases create NAME');
    if (page.next_cursor !== null) output.hint('These are the newest 200.');
    return 0;
  }
}

function usedOf(of: DatabaseQuotaOut): string {
  return `${of.databases} of ${of.max_databases} databases, ${of.branches} of ${of.max_branches} branches, ${mib(of.size_bytes)} of ${mib(of.max_bytes)}`;
}

export class DatabasesDescribeCommand extends ApiCommand {
  static override paths = [['databases', 'describe']];
  static override usage = Command.Usage({
    description: 'show a database: its branches, its size, the agents that are bound to it',
    examples: [['By its name', 'svc databases describe orders']],
  });

  database = Option.String({ name: 'DATABASE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const found = await client.databases.get({ params: { project_id: await projectId(client, this.database) } });
    this.output(this.json).result(found, () => linesOf(found));
    return 0;
  }
}

export function linesOf(found: DatabaseProjectDetailOut): string[] {
  const branches = found.branches.map((one) => [
    one.name,
    one.state,
    one.parent ?? '-',
    mib(one.size_bytes),
    `${one.connections} of ${one.max_connections}`,
    one.error === null ? '' : plain(one.error.message),
  ]);
  const bindings = found.bindings.map((one) => [one.agent, one.variable, one.branch, one.access, one.declared ? 'svc.yaml' : 'by hand', one.binding_id]);
  return [
    `${found.name}  ${found.state}  ${mib(found.size_bytes)} of ${mib(found.max_bytes)}`,
    ...(found.allowance === 'full' ? [] : [`It is larger than it may be: ${found.allowance}.`]),
    '',
    ...table(['BRANCH', 'STATE', 'COPY OF', 'SIZE', 'CONNECTIONS', ''], branches),
    ...(bindings.length === 0 ? [] : ['', ...table(['AGENT', 'VARIABLE', 'BRANCH', 'ACCESS', 'DECLARED', 'BINDING'], bindings)]),
  ];
}

export class DatabasesStatusCommand extends ApiCommand {
  static override paths = [['databases', 'status']];
  static override usage = Command.Usage({
    description: 'show whether databases are set up at the moment, and how much waits',
    examples: [['This installation', 'svc databases status']],
  });

  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const status = await this.client().databases.provisionerStatus();
    this.output(this.json).result(status, () => [
      status.served
        ? status.healthy
          ? 'The server is reached.'
          : 'The server was not reached within the last minute.'
        : 'This installation has no server for databases.',
      ...(status.heartbeat_at === null ? [] : [`Last reached  ${status.heartbeat_at}`]),
      ...(status.error === null ? [] : [`Error         ${plain(status.error)}`]),
      `Waiting       ${status.pending} to set up, ${status.deleting} to drop`,
    ]);
    return status.healthy ? 0 : 1;
  }
}

export class DatabasesEventsCommand extends ApiCommand {
  static override paths = [['databases', 'events']];
  static override usage = Command.Usage({
    description: 'list what happened to a database, newest first',
    examples: [['One database', 'svc databases events orders']],
  });

  database = Option.String({ name: 'DATABASE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { project_id: await projectId(this.client(), this.database) };
    const page = await this.client().databases.events({ params, query: { limit: 100 } });
    const rows = page.items.map((one) => [one.at.slice(0, 19).replace('T', ' '), one.kind, one.branch ?? '', one.agent ?? '', one.detail ?? '']);
    const output = this.output(this.json);
    output.result(page, () => (rows.length === 0 ? [] : table(['AT (UTC)', 'EVENT', 'BRANCH', 'AGENT', 'DETAIL'], rows)));
    if (page.next_cursor !== null) output.hint('These are the newest 100.');
    return 0;
  }
}
