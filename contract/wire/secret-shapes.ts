// Secrets by their form: tokens of known issuers have recognizable formats. The review of a deployed version and the tool, before an upload, look for the same.
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
const KEY_HEAD = /-----BEGIN (?:[A-Z]{2,10} )?PRIVATE KEY-----/;
const KEY_BODY = /^[\s"'`+]*(?:\\n)?[A-Za-z0-9+/=]{40,}/;

/** What secret a line holds; undefined: none. @param next the line after it: a key goes on there */
export function secretIn(line: string, next: string): string | undefined {
  for (const [kind, shape] of SHAPES) {
    for (const [match] of line.matchAll(shape)) if (!isPlaceholder(match)) return kind;
  }
  const head = KEY_HEAD.exec(line);
  if (!head) return undefined;
  const end = head.index + head[0].length;
  return KEY_BODY.test(line.length > end + 20 ? line.slice(end) : next) ? 'a private key' : undefined;
}
