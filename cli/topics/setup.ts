// What an agent needs of the person who calls it.
import { Option } from 'clipanion';
import { customCommand } from '../lib/command.ts';
import { UsageError } from '../lib/errors.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, table } from '../lib/output.ts';
import type { Setup } from '../setup/ask.ts';

function setupTable({ fields }: Setup): string[] {
  if (fields.length === 0) return [];
  const rows = fields.map((field) => [
    field.name,
    field.kind === 'secret' ? 'secret' : field.type,
    field.required ? 'yes' : '',
    field.source === 'user' ? 'you' : field.source,
    field.kind === 'secret' ? (field.source === 'missing' ? '' : '(not shown)') : plain(String(field.value ?? '')),
    plain(field.title ?? field.description),
  ]);
  return table(['FIELD', 'TYPE', 'REQUIRED', 'FROM', 'VALUE', 'WHAT'], rows);
}

export const commands = [
  customCommand('setup', {
    about: 'show and set what an agent needs of you',
    details:
      'Without values it shows the fields and, at a terminal, asks for those that are missing (all with --all). Values are FIELD=VALUE, of a secret FIELD=@file or FIELD=@- only. A call is refused until everything that is required is set.',
    examples: [
      ['Required values', 'svc setup reporter'],
      ['One value', 'svc setup reporter region=eu'],
      ['A secret', 'svc setup reporter api_key=@key.txt'],
      ['Take a value back', 'svc setup reporter --unset region'],
    ],
    arguments: { agent: 'AGENT', values: '[VALUES...]' },
    options: () => ({
      unset: Option.Array('--unset', { description: 'take back the value of this field; may be given several times' }),
      all: Option.Boolean('--all', false, { description: 'ask for every field, also for those that are set' }),
    }),
    aboutJson: 'print JSON, and ask nothing',
    run: async ({ agent, values: pairs, unset = [], all, json }, { client, context, output }) => {
      const params = { name: agent };
      const { askMissing, givenValues } = await import('../setup/ask.ts');
      let setup = await client.consumerSetup.get({ params });
      const changes = { ...(await givenValues(setup, pairs, context.stdin)), ...Object.fromEntries(unset.map((name) => [name, null])) };
      const unknown = Object.keys(changes).find((name) => !setup.fields.some((field) => field.name === name));
      if (unknown !== undefined)
        throw new UsageError(`${agent} has no field "${unknown}". It has: ${setup.fields.map(({ name }) => name).join(', ') || 'none'}`);
      const asks = context.interactive && !json && Object.keys(changes).length === 0 && (all || setup.missing.length > 0);
      const values = asks ? await askMissing(context, setup, all) : changes;
      if (Object.keys(values).length > 0) setup = await client.consumerSetup.put({ params, body: { values } });
      if (setup.fields.length === 0) output.hint(`${setup.agent} needs no values from its callers. For values from its owner: svc secrets list ${setup.agent}`);
      return setup;
    },
    lines: setupTable,
    hint: ({ complete, missing }, { agent }) => (complete ? undefined : `Missing: ${missing.join(', ')}. Set it with: svc setup ${agent} ${missing[0]}=…`),
    exit: ({ complete }) => (complete ? EXIT.ok : EXIT.failure),
  }),
];
