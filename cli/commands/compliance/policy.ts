import { Command, Option } from 'clipanion';
import { MAX_RETENTION_DAYS } from '#contract/orgs/compliance-limits.ts';
import { COMPLIANCE_FRAMEWORKS } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { plain } from '../../output.ts';

export class CompliancePolicyCommand extends ApiCommand {
  static override paths = [['compliance', 'policy']];
  static override usage = Command.Usage({
    description: 'show or change which frameworks hold, how long contents are kept, and the legal hold',
    details: 'What no option names stays as it is.',
    examples: [
      ['Show it', 'svc compliance policy acme'],
      ['Hold to two frameworks, and keep contents for a year', 'svc compliance policy acme --framework eu_ai_act --framework iso_42001 --days 365'],
      ['Remove nothing from now on', 'svc compliance policy acme --hold "Case 12"'],
    ],
  });

  slug = Option.String({ name: 'SLUG' });
  frameworks = Option.Array('--framework', { description: `${COMPLIANCE_FRAMEWORKS.join(', ')}; may be given again` });
  days = Option.String('--days', { description: 'days that contents are kept' });
  hold = Option.String('--hold', { description: 'set a legal hold, with its reason' });
  release = Option.Boolean('--release', false, { description: 'end the legal hold' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { compliance } = this.client();
    const params = { slug: this.slug };
    const before = await compliance.policy({ params });
    const changes = this.frameworks !== undefined || this.days !== undefined || this.hold !== undefined || this.release;
    const policy = changes ? await compliance.putPolicy({ params, body: { ...this.#changed(before), version: before.version } }) : before;
    this.output(this.json).result(policy, () => [
      `Frameworks:  ${policy.frameworks.length === 0 ? 'none' : policy.frameworks.join(', ')}`,
      `Contents:    kept for ${policy.retention_days} days; receipts forever`,
      `Legal hold:  ${policy.legal_hold ? `yes${policy.hold_reason === '' ? '' : `: ${plain(policy.hold_reason)}`}` : 'no'}`,
      policy.version === 0 ? 'Not saved yet: these are the defaults, and nothing is removed by them.' : `Version ${policy.version}, of ${policy.updated_at}`,
    ]);
    return 0;
  }

  #changed({
    frameworks,
    retention_days,
    legal_hold,
    hold_reason,
  }: {
    frameworks: (typeof COMPLIANCE_FRAMEWORKS)[number][];
    retention_days: number;
    legal_hold: boolean;
    hold_reason: string;
  }) {
    // prettier-ignore
    return {
      frameworks: this.frameworks?.map((word) => oneOf('--framework', word, COMPLIANCE_FRAMEWORKS)) ?? frameworks,
      retention_days: this.days === undefined ? retention_days : integer('--days', this.days, { min: 1, max: MAX_RETENTION_DAYS }),
      legal_hold: this.hold !== undefined || (legal_hold && !this.release),
      hold_reason: this.hold ?? hold_reason,
    };
  }
}
