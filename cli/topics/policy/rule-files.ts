// The rules of an account in a file: fetched, checked, tried and saved.
import { writeFile } from 'node:fs/promises';
import { Option } from 'clipanion';
import type { PolicyTestOut } from '#contract/policy/policy-rules.ts';
import { inFile, writeRuleFile } from '#contract/policy/rule-file.ts';
import { MAX_TRIED } from '#contract/policy/rule-limits.ts';
import { bodyOf, refuse, rulesIn, warn } from '../../commands/policy/rule-source.ts';
import { integer, oneOf } from '../../lib/api-command.ts';
import { customCommand } from '../../lib/command.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { plain, table } from '../../lib/output.ts';

const MAX_VERSION = 999_999_999;

export const commands = [
  customCommand('policy rules pull', {
    about: 'write the rules of your account to a file, or to standard output',
    examples: [
      ['Into a file', 'svc policy rules pull rules.cedar'],
      ['As they were', 'svc policy rules pull --version 3'],
    ],
    arguments: { file: '[FILE]' },
    options: () => ({ version: Option.String('--version', { description: 'an earlier version' }) }),
    run: async ({ file, version }, { client }) => {
      const query = version === undefined ? {} : { version: integer('--version', version, { min: 1, max: MAX_VERSION }) };
      const rules = await client.policy.rules({ query });
      if (file !== undefined) await writeFile(file, writeRuleFile(rules));
      return rules;
    },
    lines: (rules, { file }) =>
      file === undefined ? [writeRuleFile(rules).trimEnd()] : [`${file}: version ${rules.version}, ${rules.policies.length} policies.`],
  }),
  customCommand('policy rules push', {
    about: 'replace the rules of your account by those of a file',
    details: 'They hold within a second. See what they would have done before: svc policy test FILE.',
    examples: [
      ['From a file', 'svc policy rules push rules.cedar'],
      ['Only if they were not changed since version 3', 'svc policy rules push rules.cedar --if-version 3'],
    ],
    arguments: { file: 'FILE' },
    options: () => ({
      ifVersion: Option.String('--if-version', { description: 'refuse when the rules have another version by now' }),
      recordAllowed: Option.String('--record-allowed', { description: 'yes or no: keep what was allowed too, to test changes over (default: as it is)' }),
    }),
    run: async ({ file: path, ifVersion, recordAllowed }, { client: { policy }, output }) => {
      const file = await rulesIn(path, output);
      const record = recordAllowed === undefined ? undefined : oneOf('--record-allowed', recordAllowed, ['yes', 'no']) === 'yes';
      const wanted = ifVersion === undefined ? undefined : integer('--if-version', ifVersion, { min: 0, max: MAX_VERSION });
      // What is wrong is said with its place in the file.
      const { problems } = await policy.test({ body: { ...bodyOf(file), last: 0 } });
      refuse(path, problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
      const now = await policy.rules({ query: {} });
      const saved = await policy.putRules({ body: { ...bodyOf(file), record_allowed: record ?? now.record_allowed, version: wanted ?? now.version } });
      warn(path, file, saved.warnings, output);
      return saved;
    },
    lines: ({ version, policies }) => [`Version ${version} holds: ${policies.length} policies.`],
  }),
  customCommand('policy rules validate', {
    about: 'check a file of rules; nothing is saved',
    examples: [['From a file', 'svc policy rules validate rules.cedar']],
    arguments: { file: 'FILE' },
    run: async ({ file: path }, { client, output }) => {
      const file = await rulesIn(path, output);
      const tried = await client.policy.test({ body: { ...bodyOf(file), last: 0 } });
      refuse(path, tried.problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
      warn(path, file, tried.warnings, output);
      return { tried, policies: file.policies.length };
    },
    json: ({ tried }) => tried,
    lines: ({ policies }, { file }) => [`${file}: ${policies} policies are valid.`],
  }),
  customCommand('policy test', {
    about: 'show which of the last decisions the rules of a file would change; nothing is saved',
    details: 'Decisions are kept while your account has rules. To collect some before the first rule, push an empty file.',
    examples: [
      ['Over the last thousand', 'svc policy test rules.cedar'],
      ['In a pipeline: fail when anything would change', 'svc policy test rules.cedar --last 5000 --fail-on-change'],
    ],
    arguments: { file: 'FILE' },
    options: () => ({
      last: Option.String('--last', '1000', { description: `how many of the last decisions, ${MAX_TRIED} at most` }),
      failOnChange: Option.Boolean('--fail-on-change', false, { description: 'exit with 1 when a decision would be another' }),
    }),
    run: async ({ file: path, last: typed }, { client, output }) => {
      const last = integer('--last', typed, { min: 1, max: MAX_TRIED });
      const file = await rulesIn(path, output);
      const tried = await client.policy.test({ body: { ...bodyOf(file), last } });
      refuse(path, tried.problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
      warn(path, file, tried.warnings, output);
      if (tried.tested === 0) output.hint('No decisions are kept yet. They are while your account has rules: svc policy rules push FILE');
      return tried;
    },
    lines: linesOf,
    hint: ({ changed, examples }) => (changed > examples.length ? `The newest ${examples.length} of ${changed} are shown.` : undefined),
    exit: ({ changed }, { failOnChange }) => (failOnChange && changed > 0 ? EXIT.failure : EXIT.ok),
  }),
];

function linesOf({ tested, changed, changes, examples }: PolicyTestOut): string[] {
  if (tested === 0) return [];
  if (changed === 0) return [`None of the last ${tested} decisions would change.`];
  const counts = changes.map(({ from, to, count }) => `${count} from ${from} to ${to}`).join(', ');
  const rows = examples.map(({ decision, outcome, reasons }) => [
    decision.decided_at.slice(0, 16).replace('T', ' '),
    decision.action,
    plain(decision.agent ?? `${decision.principal.type} ${decision.principal.id}`),
    plain(`${decision.resource.type} ${decision.resource.id}`),
    `${decision.outcome} -> ${outcome}`,
    plain(reasons.join(', ')),
  ]);
  return [
    `This would change ${changed} of the last ${tested} decisions: ${counts}.`,
    ...table(['DECIDED (UTC)', 'ACTION', 'WHO', 'WHAT', 'OUTCOME', 'BY'], rows),
  ];
}
