import { writeFile } from 'node:fs/promises';
import { Command, Option } from 'clipanion';
import { inFile, writeRuleFile } from '#contract/policy/rule-file.ts';
import { ApiCommand, integer, oneOf } from '../../lib/api-command.ts';
import { bodyOf, refuse, rulesIn, warn } from './rule-source.ts';

const MAX_VERSION = 999_999_999;

export class PolicyRulesPullCommand extends ApiCommand {
  static override paths = [['policy', 'rules', 'pull']];
  static override usage = Command.Usage({
    description: 'write the rules of your account to a file, or to standard output',
    examples: [
      ['Into a file', 'svc policy rules pull rules.cedar'],
      ['As they were', 'svc policy rules pull --version 3'],
    ],
  });

  file = Option.String({ required: false, name: 'FILE' });
  version = Option.String('--version', { description: 'an earlier version' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const query = this.version === undefined ? {} : { version: integer('--version', this.version, { min: 1, max: MAX_VERSION }) };
    const rules = await this.client().policy.rules({ query });
    const output = this.output(this.json);
    const text = writeRuleFile(rules);
    if (this.file === undefined) {
      output.result(rules, [text.trimEnd()]);
      return 0;
    }
    await writeFile(this.file, text);
    output.result(rules, [`${this.file}: version ${rules.version}, ${rules.policies.length} policies.`]);
    return 0;
  }
}

export class PolicyRulesPushCommand extends ApiCommand {
  static override paths = [['policy', 'rules', 'push']];
  static override usage = Command.Usage({
    description: 'replace the rules of your account by those of a file',
    details: 'They hold within a second. See what they would have done before: svc policy test FILE.',
    examples: [
      ['From a file', 'svc policy rules push rules.cedar'],
      ['Only if they were not changed since version 3', 'svc policy rules push rules.cedar --if-version 3'],
    ],
  });

  file = Option.String({ name: 'FILE' });
  ifVersion = Option.String('--if-version', { description: 'refuse when the rules have another version by now' });
  recordAllowed = Option.String('--record-allowed', { description: 'yes or no: keep what was allowed too, to test changes over (default: as it is)' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const file = await rulesIn(this.file, output);
    const api = this.client().policy;
    const record = this.recordAllowed === undefined ? undefined : oneOf('--record-allowed', this.recordAllowed, ['yes', 'no']) === 'yes';
    const wanted = this.ifVersion === undefined ? undefined : integer('--if-version', this.ifVersion, { min: 0, max: MAX_VERSION });
    // What is wrong is said with its place in the file.
    const { problems } = await api.test({ body: { ...bodyOf(file), last: 0 } });
    refuse(this.file, problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
    const now = await api.rules({ query: {} });
    const saved = await api.putRules({ body: { ...bodyOf(file), record_allowed: record ?? now.record_allowed, version: wanted ?? now.version } });
    warn(this.file, file, saved.warnings, output);
    output.result(saved, [`Version ${saved.version} holds: ${saved.policies.length} policies.`]);
    return 0;
  }
}

export class PolicyRulesValidateCommand extends ApiCommand {
  static override paths = [['policy', 'rules', 'validate']];
  static override usage = Command.Usage({
    description: 'check a file of rules; nothing is saved',
    examples: [['From a file', 'svc policy rules validate rules.cedar']],
  });

  file = Option.String({ name: 'FILE' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const output = this.output(this.json);
    const file = await rulesIn(this.file, output);
    const tried = await this.client().policy.test({ body: { ...bodyOf(file), last: 0 } });
    refuse(this.file, tried.problems.map((one) => inFile(file.policies, one)), output); // prettier-ignore
    warn(this.file, file, tried.warnings, output);
    output.result(tried, [`${this.file}: ${file.policies.length} policies are valid.`]);
    return 0;
  }
}
