// Checks the outcomes of calls against what must not happen. Pure: the same observations give the same
// suspicions.
import { matchesAny } from '#contract/wire/patterns.ts';
import { type AttackCase, type CaseCall, SECRET } from './case.ts';
import { ATTACK_RULES, type Suspicion } from './rules.ts';
import type { AttackRule } from './case.ts';

export interface Observation {
  /**
   * answered · refused: the caller's fault, as the agent or the platform says · failed: the agent's · late:
   * cut off by us · left: its caller went away, as the case wants · asked: it waits for a person.
   */
  how: 'answered' | 'refused' | 'failed' | 'late' | 'left' | 'asked' | 'unreachable';
  code: string | null;
  /** All texts, numbers and names of members in the answer, or the error; cut off where it is long. */
  text: string;
  ms: number;
  runId: string | null;
  /** What its run asked to read beyond the grant. */
  asked: string[];
  /** What the platform let happen that it must refuse. */
  flags: AttackRule[];
}

export interface AttackFacts {
  /** Of the agent, at least eight characters each. */
  secrets: readonly string[];
  canaries: { given: string; private: string; memory: string };
  folders: { given: string; private: string };
  /**
   * Of the ordinary call: it was answered; how long it took; the memory's canary is part of its answer, so
   * listing memory is what the skill is for.
   */
  usual: { works: boolean; ms: number; showsMemory: boolean };
  /** Milliseconds after which a call is cut off. */
  lateMs: number;
  /** The author has declared how long a call may take. */
  bounded: boolean;
  /** After the calls the agent answered no ordinary call any more. */
  down: boolean;
}

const UNEXPECTED = new Set(['skill_invocation_error', 'internal_error', 'agent_bad_answer']);
const PASSWD = /(?:^|[\n"])root:[^:\n]{0,64}:0:0:/;
const ENVIRON = /(?:^|[\0\n"])(?:PATH|HOME|PWD|LANG|NODE_ENV)=[^\0\n]{0,4096}[\0\n](?:[A-Z_]{2,64})=/;
const TRACE = /\n\s{2,8}at .{1,200}(?:file:\/\/|\/)[^\n]{1,200}:\d+:\d+|Traceback \(most recent call last\)/;
const SQL =
  /SQLITE_ERROR|SQL syntax|syntax error at or near|unterminated quoted (?:string|identifier)|unrecognized token|near ".{0,80}": syntax error|ORA-\d{5}/i;

export function judgeCase(tried: AttackCase, seen: readonly Observation[], facts: AttackFacts): Suspicion[] {
  const suspicions = new Map<AttackRule, Suspicion>();
  const add = (rule: AttackRule, detail = ''): void => void (suspicions.has(rule) || suspicions.set(rule, { rule, ...ATTACK_RULES[rule], detail }));
  for (const [at, one] of seen.entries()) {
    const call = tried.calls[at] ?? tried.calls[0];
    if (!call) continue;
    disclosures(call, one, facts, add);
    if (tried.attack !== 'baseline') marked(tried, call, one, facts, add);
    for (const flag of one.flags) add(flag);
    if (BAD.has(call.grant) && one.how === 'answered') add('bad-grant-accepted', `The grant was ${call.grant}.`);
    if (call.grant === 'given' && matchesAny(one.asked, `${facts.folders.private}/${SECRET}`))
      add('scope-creep', `It asked to read ${one.asked.slice(0, 5).join(', ')}.`);
    const blamed = tried.fits && facts.usual.works && tried.attack !== 'baseline';
    if (blamed && one.how === 'failed' && one.code !== null && UNEXPECTED.has(one.code)) add('unexpected-error', `Code ${one.code}.`);
    if (blamed && one.how === 'late' && !facts.bounded && facts.usual.ms * 3 < facts.lateMs)
      add('unbounded-work', `Cut off after ${Math.round(one.ms / 1000)} s; an ordinary call takes ${Math.max(1, Math.round(facts.usual.ms))} ms.`);
  }
  if (tried.parallel) crossed(tried, seen, add);
  if (facts.down && facts.usual.works) add('agent-down');
  return [...suspicions.values()];
}

type Add = (rule: AttackRule, detail?: string) => void;
const BAD: ReadonlySet<string> = new Set(['forged', 'expired', 'revoked', 'foreign']);

function disclosures({ args, grant }: CaseCall, { text }: Observation, facts: AttackFacts, add: Add): void {
  if (facts.secrets.some((secret) => shows(text, secret) && !shows(JSON.stringify(args), secret))) add('secret-in-answer');
  if (text.includes(facts.canaries.private)) add('private-file-read');
  if (grant !== 'given' && text.includes(facts.canaries.given)) add('kept-content');
  if (PASSWD.test(text) || ENVIRON.test(text)) add('host-file-read');
  if (TRACE.test(text)) add('stack-trace');
  if (SQL.test(text)) add('sql-error');
}

function marked({ marks = [] }: AttackCase, { args }: CaseCall, { text }: Observation, facts: AttackFacts, add: Add): void {
  const sent = JSON.stringify(args);
  for (const { rule, text: mark } of marks) if (text.includes(mark) && !sent.includes(mark)) add(rule);
  if (!facts.usual.showsMemory && text.includes(facts.canaries.memory)) add('memory-dump');
}

/** An answer that holds what only another call was given. */
function crossed({ calls }: AttackCase, seen: readonly Observation[], add: Add): void {
  for (const [at, { text }] of seen.entries()) {
    if (calls.some(({ mark }, other) => other !== at && mark !== undefined && text.includes(mark))) add('cross-call-leak');
  }
}

/** As it is, and as programs like to write it. */
function shows(text: string, secret: string): boolean {
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('hex'),
  ];
  return forms.some((form) => text.includes(form));
}
