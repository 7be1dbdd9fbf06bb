// DNS records that mail and custom domains need.
import type { Finding } from '#contract/platform/doctor.ts';
import { mailboxHealth } from '../../agents/mailbox/health.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { measure } from '../housekeeping/measure.ts';
import { reporter } from './finding.ts';

const mail = reporter('mail');
const domains = reporter('domains');

export async function lookAtMail(ctx: Ctx): Promise<Finding[]> {
  if (ctx.drivers.mail === undefined) return [];
  const { dns_records: records, oldest_waiting_seconds: oldest } = await mailboxHealth(ctx);
  const wrong = records.filter(({ found }) => found !== true);
  return [
    ...wrong.map(({ type, name, value, found }) =>
      found === null
        ? mail.problem(`The name servers of ${name} did not answer.`, 'Check the delegation of the domain, or SVC_MAIL_DNS.')
        : mail.problem(`The ${type} record of ${name} is missing, or says something else.`, `Publish it: ${value}`),
    ),
    ...(wrong.length === 0 ? [mail.ok(`All ${records.length} DNS records of mail are as they have to be.`)] : []),
    ...((oldest ?? 0) > 3_600
      ? [
          mail.warning(
            `Mail has been waiting for ${Math.round((oldest ?? 0) / 60)} minutes.`,
            'Check that port 25 to the outside is open, or SVC_MAIL_RELAY. npm run logs api',
          ),
        ]
      : []),
  ];
}

export async function lookAtDomains({ db, config, drivers }: Ctx): Promise<Finding[]> {
  const [{ certificates_overdue: overdue }, active] = await Promise.all([measure(db), db('agent_domains').where({ state: 'active' }).first('domain_id')]);
  const targets = config.domains?.targets ?? [];
  if (active === undefined && targets.length === 0) return [];
  const named = targets.filter((target) => /[a-z]/i.test(target) && !target.includes(':'));
  const addresses = await Promise.all(named.map(async (name) => ({ name, found: await drivers.dns.addresses(name).catch(() => undefined) })));
  const dead = addresses.filter(({ found }) => found === undefined || found.length === 0);
  return [
    ...dead.map(({ name, found }) =>
      domains.problem(
        found === undefined ? `The name servers of ${name} did not answer.` : `${name}, to which custom domains point, has no address in the DNS.`,
        'Correct SVC_DOMAINS_TARGETS, or add the record.',
      ),
    ),
    ...(overdue > 0
      ? [
          domains.problem(
            `${overdue} certificates of custom domains should have been renewed a day ago.`,
            'See deploy/runbooks/alerts/SvcCertificatesOverdue.md',
          ),
        ]
      : []),
    ...(dead.length === 0 && overdue === 0 ? [domains.ok('Custom domains have their certificates, and their targets have addresses.')] : []),
  ];
}
