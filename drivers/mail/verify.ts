// Who really sent a mail: SPF, DKIM, DMARC and ARC of RFC 7208, 6376, 7489 and 8617.
import { authenticate } from 'mailauth'; // verifies all four, with a resolver of ours
import { z } from 'zod';
import { MailAddress } from '#contract/wire/mail.ts';
import type { Checked, Incoming, Verdict } from './port.ts';
import { isAbsent, type MailResolver } from './resolver.ts';

const PATIENCE_MS = 25_000;
/** Questions about one mail: SPF may ask 10 and those each several, DKIM one a signature. */
const MAX_QUESTIONS = 100;

export interface VerifyOptions {
  hostname: string;
  resolver: MailResolver;
  /** Whose ARC seals are believed. */
  arcSealers: readonly string[];
}

/** What cannot be found out now is `temperror`: the sender tries again. */
export async function verifyMail(mail: Incoming, { hostname, resolver, arcSealers }: VerifyOptions): Promise<Verdict> {
  let questionCount = 0;
  let unanswered = false;
  const counted: MailResolver = async (name, type) => {
    questionCount += 1;
    if (questionCount > MAX_QUESTIONS) throw Object.assign(new Error('too many questions'), { code: 'EREFUSED' });
    try {
      return await resolver(name, type);
    } catch (error) {
      unanswered ||= !isAbsent(error);
      throw error;
    }
  };
  const checking = authenticate(mail.raw, {
    ip: mail.clientIp,
    helo: mail.helo,
    // Empty: the client's name is checked instead.
    sender: mail.envelopeFrom,
    mta: hostname,
    resolver: counted,
    rejectRsaSha1: true,
    disableBimi: true,
  });
  const authResults = await withTimeout(checking).catch(() => undefined);
  if (!authResults) return { from: undefined, spf: 'temperror', dkim: 'temperror', dmarc: 'temperror', policy: 'none', arc: 'none', authenticated: false };
  const { dkim, spf, dmarc, arc } = authResults;
  const [from, ...others] = dkim.headerFrom;
  const single = dkim.fromFields === 1 && others.length === 0 && from !== undefined && MailAddress.safeParse(from).success ? from.toLowerCase() : undefined;
  const result = dmarc ? dmarc.status.result : 'none';
  const passed = dmarc !== false && result === 'pass' && (dmarc.alignment.spf.result !== undefined || !dmarc.alignment.dkim.underSized);
  const trustedArc = single !== undefined && isTrustedArc(arc, single, arcSealers);
  const authenticated = single !== undefined && (passed || trustedArc);
  return {
    from: single,
    spf: spf ? spf.status.result : 'none',
    dkim: dkim.results.some(({ status }) => status.result === 'pass') ? 'pass' : (dkim.results[0]?.status.result ?? 'none'),
    dmarc: !authenticated && unanswered ? 'temperror' : checkedOf(result),
    policy: dmarc && (dmarc.policy === 'reject' || dmarc.policy === 'quarantine') ? dmarc.policy : 'none',
    arc: arc ? arc.status.result : 'none',
    authenticated,
  };
}

function checkedOf(result: string): Checked {
  if (result === 'pass' || result === 'fail' || result === 'none') return result;
  return result.startsWith('temp') ? 'temperror' : 'fail';
}

const domainTag = z.object({ parsed: z.object({ d: z.object({ value: z.string() }) }) });
const PassedArc = z.object({
  status: z.object({ result: z.literal('pass') }),
  signature: z.object({ signingDomain: z.string() }),
  authenticationResults: z.object({ dmarc: z.object({ result: z.literal('pass'), header: z.object({ from: z.string() }) }) }),
  chain: z.array(z.object({ 'arc-seal': domainTag })).min(1),
});

/**
 * The last to handle it, whose seal and signature are both of a domain we believe, says that it had passed.
 */
function isTrustedArc(arc: unknown, from: string, sealers: readonly string[]): boolean {
  const read = PassedArc.safeParse(arc);
  if (!read.success) return false;
  const { signature, chain, authenticationResults } = read.data;
  const arcDomain = chain.at(-1)?.['arc-seal'].parsed.d.value.toLowerCase();
  const domain = from.slice(from.indexOf('@') + 1);
  return (
    arcDomain !== undefined &&
    sealers.includes(arcDomain) &&
    signature.signingDomain.toLowerCase() === arcDomain &&
    authenticationResults.dmarc.header.from.toLowerCase() === domain
  );
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the name servers did not answer in time')), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
