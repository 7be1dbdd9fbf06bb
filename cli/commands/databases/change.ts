import { Command, Option } from 'clipanion';
import { MAIN_BRANCH } from '#contract/wire/database.ts';
import { DATABASE_ACCESSES } from '#contract/states.ts';
import { ApiCommand, oneOf } from '../../command-base.ts';
import { CliError } from '../../errors.ts';
import { projectId } from './find.ts';
import { linesOf } from './list.ts';

export class DatabasesCreateCommand extends ApiCommand {
  static override paths = [['databases', 'create']];
  static override usage = Command.Usage({
    description: 'create a database',
    details: 'It is ready some seconds later. An agent can declare one in svc.yaml, too: it is then made with its deployment.',
    examples: [['One for orders', 'svc databases create orders']],
  });

  name = Option.String({ name: 'NAME' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const made = await this.client().databases.create({ body: { name: this.name } });
    const output = this.output(this.json);
    output.result(made, [`${made.name}  ${made.state}`]);
    output.hint(`It is ready in a moment: svc databases describe ${made.name}. Then give it to an agent: svc databases bind ${made.name} AGENT`);
    return 0;
  }
}

export class DatabasesBranchCommand extends ApiCommand {
  static override paths = [['databases', 'branch']];
  static override usage = Command.Usage({
    description: 'copy a branch of a database into a new one, with what is in it',
    details: 'While it is copied, connections to the branch that it is copied from end, and none are taken.',
    examples: [
      ['The branch main', 'svc databases branch orders preview'],
      ['Another branch', 'svc databases branch orders try --from preview'],
    ],
  });

  database = Option.String({ name: 'DATABASE' });
  name = Option.String({ name: 'BRANCH' });
  from = Option.String('--from', MAIN_BRANCH, { description: 'branch that is copied' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { project_id: await projectId(this.client(), this.database) };
    const found = await this.client().databases.createBranch({ params, body: { name: this.name, from: this.from } });
    this.output(this.json).result(found, () => linesOf(found));
    return 0;
  }
}

export class DatabasesBindCommand extends ApiCommand {
  static override paths = [['databases', 'bind']];
  static override usage = Command.Usage({
    description: 'bind a database to an agent: an environment variable has its URL',
    details: 'The live instance of the agent is replaced, so that it has the variable; --no-restart leaves that to the next deployment.',
    examples: [
      ['As DATABASE_URL', 'svc databases bind orders librarian'],
      ['Read only', 'svc databases bind orders reporter --access read_only --variable ORDERS_URL'],
    ],
  });

  database = Option.String({ name: 'DATABASE' });
  agent = Option.String({ name: 'AGENT' });
  branch = Option.String('--branch', MAIN_BRANCH, { description: 'branch of the database' });
  access = Option.String('--access', 'owner', { description: `${DATABASE_ACCESSES.join(', ')}` });
  variable = Option.String('--variable', 'DATABASE_URL', { description: 'environment variable of the agent' });
  restart = Option.Boolean('--restart', true, { description: 'replace the live instance' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const access = oneOf('--access', this.access, DATABASE_ACCESSES);
    const params = { project_id: await projectId(this.client(), this.database) };
    const { branch, variable, restart } = this;
    const bound = await this.client().databases.bind({ params, body: { agent: this.agent, branch, access, variable, restart } });
    const output = this.output(this.json);
    output.result(bound, [`${bound.binding.agent} has ${this.database} in ${bound.binding.variable}`]);
    output.hint(
      bound.applies === 'restarting' ? `Its instance is being replaced: svc logs ${this.agent}` : 'It applies from its next deployment or restart on.',
    );
    return 0;
  }
}

export class DatabasesUnbindCommand extends ApiCommand {
  static override paths = [['databases', 'unbind']];
  static override usage = Command.Usage({
    description: 'unbind a database from an agent',
    examples: [['The binding of DATABASE_URL', 'svc databases unbind orders librarian']],
  });

  database = Option.String({ name: 'DATABASE' });
  agent = Option.String({ name: 'AGENT' });
  variable = Option.String('--variable', { description: 'environment variable that it is bound to, where there are several' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const client = this.client();
    const params = { project_id: await projectId(client, this.database) };
    const { bindings } = await client.databases.get({ params });
    const found = bindings.filter(({ agent, variable }) => agent === this.agent && (this.variable === undefined || variable === this.variable));
    const [binding] = found;
    if (!binding) throw new CliError(`${this.agent} is not bound to ${this.database}: see "svc databases describe ${this.database}".`);
    if (found.length > 1)
      throw new CliError(`${this.agent} has ${this.database} in ${found.map(({ variable }) => variable).join(' and ')}: name one with --variable.`);
    await this.client().databases.unbind({ params: { ...params, binding_id: binding.binding_id } });
    const output = this.output(this.json);
    output.hint(`${binding.variable} was removed from ${this.agent}.`);
    output.result({ binding_id: binding.binding_id, unbound: true }, []);
    return 0;
  }
}

export class DatabasesRotateCommand extends ApiCommand {
  static override paths = [['databases', 'rotate']];
  static override usage = Command.Usage({
    description: 'rotate the password of a database role',
    details: 'Bound agents are restarted with the new password. The previous one stays valid until all of them run with the new one, for one hour at most.',
    examples: [['The owner of main', 'svc databases rotate orders --access owner']],
  });

  database = Option.String({ name: 'DATABASE' });
  branch = Option.String('--branch', MAIN_BRANCH, { description: 'branch of the database' });
  access = Option.String('--access', 'owner', { description: `${DATABASE_ACCESSES.join(', ')}` });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const access = oneOf('--access', this.access, DATABASE_ACCESSES);
    const params = { project_id: await projectId(this.client(), this.database) };
    const found = await this.client().databases.rotate({ params, body: { branch: this.branch, access } });
    const output = this.output(this.json);
    output.result(found, [`A new password of ${access} is being set up.`]);
    output.hint(`How far it is: svc databases events ${found.name}`);
    return 0;
  }
}

export class DatabasesUrlCommand extends ApiCommand {
  static override paths = [['databases', 'url']];
  static override usage = Command.Usage({
    description: 'show the URL of a database with its password; the audit log records it',
    details: 'The URL is for programs that reach the server itself. Agents have one of their own in their variable.',
    examples: [['To read it with psql', 'psql "$(svc databases url orders --access read_only)"']],
  });

  database = Option.String({ name: 'DATABASE' });
  branch = Option.String('--branch', MAIN_BRANCH, { description: 'branch of the database' });
  access = Option.String('--access', 'read_only', { description: `${DATABASE_ACCESSES.join(', ')}` });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const access = oneOf('--access', this.access, DATABASE_ACCESSES);
    const params = { project_id: await projectId(this.client(), this.database) };
    const shown = await this.client().databases.reveal({ params, body: { branch: this.branch, access } });
    this.output(this.json).result(shown, [shown.url]);
    return 0;
  }
}

export class DatabasesDeleteCommand extends ApiCommand {
  static override paths = [['databases', 'delete']];
  static override usage = Command.Usage({
    description: 'delete a database with all its branches, or one branch; nothing of it can be restored',
    examples: [
      ['All of it', 'svc databases delete orders'],
      ['One branch', 'svc databases delete orders --branch preview'],
    ],
  });

  database = Option.String({ name: 'DATABASE' });
  branch = Option.String('--branch', { description: 'only this branch' });
  force = Option.Boolean('--force', false, { description: 'also while agents are bound to it' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const params = { project_id: await projectId(this.client(), this.database) };
    const query = { force: this.force };
    const parts = this.client().databases;
    if (this.branch === undefined) await parts.remove({ params, query });
    else await parts.removeBranch({ params: { ...params, branch: this.branch }, query });
    const output = this.output(this.json);
    output.hint(`${this.branch === undefined ? this.database : `Branch ${this.branch} of ${this.database}`} is deleted.`);
    output.result({ database: this.database, branch: this.branch ?? null, deleted: true }, []);
    return 0;
  }
}
