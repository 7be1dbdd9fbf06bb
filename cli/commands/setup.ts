import { Command, Option } from 'clipanion';
import { ApiCommand } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';
import { plain, table } from '../lib/output.ts';
import type { Setup } from '../setup/ask.ts';

export class SetupCommand extends ApiCommand {
  static override paths = [['setup']];
  static override usage = Command.Usage({
    description: 'show and set what an agent needs of you',
    details:
      'Without values it shows the fields and, at a terminal, asks for those that are missing (all with --all). Values are FIELD=VALUE, of a secret FIELD=@file or FIELD=@- only. A call is refused until everything that is required is set.',
    examples: [
      ['Required values', 'svc setup reporter'],
      ['One value', 'svc setup reporter region=eu'],
      ['A secret', 'svc setup reporter api_key=@key.txt'],
      ['Take a value back', 'svc setup reporter --unset region'],
    ],
  });

  agent = Option.String({ name: 'AGENT' });
  values = Option.Rest({ name: 'VALUES' });
  unset = Option.Array('--unset', { description: 'take back the value of this field; may be given several times' });
  all = Option.Boolean('--all', false, { description: 'ask for every field, also for those that are set' });
  json = Option.Boolean('--json', false, { description: 'print JSON, and ask nothing' });

  async execute(): Promise<number> {
    const [client, output] = [this.client(), this.output(this.json)];
    const params = { name: this.agent };
    const { askMissing, givenValues } = await import('../setup/ask.ts');
    let setup = await client.consumerSetup.get({ params });
    const changes = { ...(await givenValues(setup, this.values, this.context.stdin)), ...Object.fromEntries((this.unset ?? []).map((name) => [name, null])) };
    const unknown = Object.keys(changes).find((name) => !setup.fields.some((field) => field.name === name));
    if (unknown !== undefined)
      throw new UsageError(`${this.agent} has no field "${unknown}". It has: ${setup.fields.map(({ name }) => name).join(', ') || 'none'}`);
    const asks = this.context.interactive && !this.json && Object.keys(changes).length === 0 && (this.all || setup.missing.length > 0);
    const values = asks ? await askMissing(this.context, setup, this.all) : changes;
    if (Object.keys(values).length > 0) setup = await client.consumerSetup.put({ params, body: { values } });
    this.#show(setup);
    if (!setup.complete) output.hint(`Missing: ${setup.missing.join(', ')}. Set it with: svc setup ${this.agent} ${setup.missing[0]}=…`);
    return setup.complete ? 0 : 1;
  }

  #show(setup: Setup): void {
    const output = this.output(this.json);
    if (setup.fields.length === 0) output.hint(`${setup.agent} needs no values from its callers. For values from its owner: svc secrets list ${setup.agent}`);
    output.result(setup, () => {
      if (setup.fields.length === 0) return [];
      const rows = setup.fields.map((field) => [
        field.name,
        field.kind === 'secret' ? 'secret' : field.type,
        field.required ? 'yes' : '',
        field.source === 'user' ? 'you' : field.source,
        field.kind === 'secret' ? (field.source === 'missing' ? '' : '(not shown)') : plain(String(field.value ?? '')),
        plain(field.title ?? field.description).slice(0, 60),
      ]);
      return table(['FIELD', 'TYPE', 'REQUIRED', 'FROM', 'VALUE', 'WHAT'], rows);
    });
  }
}
