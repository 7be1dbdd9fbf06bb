// Events of a challenge in words. Reviewers write parts of them: every member is looked at before it is
// shown.
import { inWords } from '../../kit/in-words.ts';

type Payload = Record<string, unknown>;

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 300) : '');
const list = (value: unknown): Payload[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []);
const object = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};

export function sentenceOf(kind: string, payload: Payload): string {
  const by = text(payload.by) === 'platform' ? '' : text(payload.by);
  const who = by === '' ? '' : `${by}: `;
  switch (kind) {
    case 'round':
      return `Round ${text(payload.iteration)} starts: ${text(payload.probes)} probes.`;
    case 'probe':
      return `${text(payload.attack)} on ${text(payload.skill)}: ${payload.dry === true ? 'dry, no call' : `${text(payload.calls)} calls`}${endsOf(object(payload.ended))}`;
    case 'finding_emitted':
      return list(payload.findings)
        .map(({ severity, title, confirmed }) => `${who}${text(severity)}: ${text(title)}${confirmed === true ? '' : ' (not confirmed)'}`)
        .join(' · ');
    case 'fix_proposed':
      return `${who}proposes for ${text(object(payload.proposal).finding_id)}: ${text(object(payload.proposal).summary)}`;
    case 'promotion_frozen':
      return `Publishing is blocked by ${text(payload.finding_id)}.`;
    case 'reviewer_started':
      return `The reviewer ${text(payload.agent) || by} started. ${text(payload.message)}`;
    case 'loop_completed':
      return by === '' ? 'The challenge is complete.' : `${by} is done. ${text(payload.summary)}`;
    case 'loop_failed':
      return by === ''
        ? `It could not continue: ${text(object(payload.reason).message)}`
        : `${by} failed: ${text(object(payload.error).message) || text(payload.summary)}`;
    case 'loop_killed':
      return `It was ended: ${text(object(payload.reason).message)}`;
    case 'model_proposed':
      return `The language model proposes ${text(payload.calls)} calls.`;
    case 'model_failed':
      return `The language model proposed nothing: ${text(object(payload.error).message)}`;
    default:
      return kind.startsWith('job.') ? `The job is ${inWords(kind.slice(4))}.` : inWords(kind);
  }
}

function endsOf(ended: Payload): string {
  const parts = Object.entries(ended).map(([how, count]) => `${text(count)} ${how}`);
  return parts.length === 0 ? '.' : ` (${parts.join(', ')}).`;
}
