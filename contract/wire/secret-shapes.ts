// Secrets by their form: tokens of known issuers have recognizable formats. The review of a deployed version
// and the tool, before an upload, look for the same.
import { isPlaceholder } from './placeholder.ts';

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{60,255})\b/g],
  ['a GitLab token', /\bglpat-[A-Za-z0-9_-]{20,64}\b/g],
  ['a Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{20,200}\b/g],
  ['a Stripe key', /\b(?:sk|rk)_live_[A-Za-z0-9]{20,200}\b/g],
  ['an OpenAI key', /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,200}\b/g],
  ['an Anthropic key', /\bsk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{40,200}\b/g],
  ['a Google API key', /\bAIza[A-Za-z0-9_-]{35}\b/g],
  ['a SendGrid key', /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b/g],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/g],
  ['a PyPI token', /\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,300}\b/g],
  ['a Hugging Face token', /\bhf_[A-Za-z0-9]{34}\b/g],
  ['a Telegram bot token', /\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/g],
  ['a token of this platform', /\bsvc_[a-z]{2,6}_[A-Za-z0-9_-]{32,64}\b/g],
];
const KEY_HEAD = /-----BEGIN (?:(?:[A-Z]{2,10} )?PRIVATE KEY|PGP PRIVATE KEY BLOCK)-----/;
/** Between the head and the key: an encrypted key says how, and an empty line ends that. */
const KEY_HEADER = /^\s*(?:[A-Za-z-]+: [^\n]*)?$/;
const MOST_KEY_HEADERS = 8;
const KEY_BODY = /^[\s"'`+]*(?:\\n)?[A-Za-z0-9+/=]{40,}/;

/** What secret the line at `at` holds; undefined: none. A key goes on in the lines after it. */
export function secretIn(lines: readonly string[], at: number): string | undefined {
  const line = lines[at] ?? '';
  for (const [kind, shape] of SHAPES) {
    for (const [match] of line.matchAll(shape)) if (!isPlaceholder(match)) return kind;
  }
  const head = KEY_HEAD.exec(line);
  return head && KEY_BODY.test(afterHead(lines, at, head.index + head[0].length)) ? 'a private key' : undefined;
}

/** Where the key itself should begin. @param end where its head ends in its line */
function afterHead(lines: readonly string[], at: number, end: number): string {
  const line = lines[at] ?? '';
  if (line.length > end + 20) return line.slice(end);
  const following = lines.slice(at + 1, at + 2 + MOST_KEY_HEADERS);
  return following.find((one) => !KEY_HEADER.test(one)) ?? '';
}
