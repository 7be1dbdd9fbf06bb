// Finds secrets by their form: tokens of known issuers have recognizable formats.
import { written } from '../project.ts';
import { perLine, type Rule } from '../rule.ts';
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
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s:/@"'`]{1,80}):([^\s/@"'`]{6,120})@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+)/i;

const remedy = 'Revoke it: it is in the source and in earlier deploys. Store the new one with svc secrets set';

function kindOf(line: string, next: string): string | undefined {
  for (const [kind, shape] of SHAPES) {
    for (const [match] of line.matchAll(shape)) if (!isPlaceholder(match)) return kind;
  }
  const head = KEY_HEAD.exec(line);
  if (head && KEY_BODY.test(line.length > head.index + head[0].length + 20 ? line.slice(head.index + head[0].length) : next)) return 'a private key';
  const [, user = '', password = '', host = ''] = IN_ADDRESS.exec(line) ?? [];
  if (password !== '' && ![user, password, host].some(isPlaceholderWord)) return 'a password in an address';
  return undefined;
}

const isPlaceholderWord = (text: string): boolean =>
  /^(?:user(?:name)?|pass(?:word)?|secret|postgres|root|admin|token|example.*|.*\.example|.*\.test|.*\.local)$/i.test(text) ||
  /example\.|[<${}*]|placeholder|change|your/i.test(text);

export const secretToken: Rule = {
  id: 'secret-token',
  *find(project) {
    yield* perLine(written(project), (line, file, at) => {
      const kind = kindOf(line, file.lines[at + 1] ?? '');
      return kind === undefined ? undefined : { severity: 'critical', title: 'Secret in the source', message: `This line holds ${kind}. ${remedy}` };
    });
  },
};
