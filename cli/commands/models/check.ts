// Whether a credential works, in words, and what to do when it does not.
import type { LlmCredentialOut } from '#contract/money/llm-creds.ts';
import { plain } from '../../lib/output.ts';

export function checkCell({ check: { state, code, at } }: LlmCredentialOut): string {
  if (state === 'unchecked') return 'not checked';
  return [state === 'works' ? 'works' : `failed: ${code}`, at?.slice(0, 16).replace('T', ' ') ?? ''].join(' ').trimEnd();
}

/** What went wrong, and the command that mends it. */
export function failureOf(credential: LlmCredentialOut): string {
  const { code, message } = credential.check;
  // Behind it the message says which credential that is, and how the API wants it mended.
  const [why = ''] = (message ?? '').split(` (${credential.model}, credential "${credential.name}")`);
  return `${plain(why).replace(/\.$/, '') || 'It failed'} (${code}). ${remedy(credential)}`;
}

/** Whose address is not the catalog's. */
const OWN_ADDRESS = /^ollama$|_compatible$/;

function remedy({ name, provider, model, base_url: address, has_key: hasKey, check }: LlmCredentialOut): string {
  const set = `svc models set ${name}`;
  switch (check.code) {
    case 'model_key_refused':
      return `Give another key with: ${set} --ask-key`;
    case 'model_not_found':
      return `${provider === 'ollama' ? `Fetch it with: ollama pull ${model}, or choose` : 'Choose'} another model with: ${set} --model ID (svc models catalog lists the known ones)`;
    case 'model_unreachable':
      return `See that ${address} answers, then check again with: ${set}${OWN_ADDRESS.test(provider) ? ` (at another address: --base-url URL${hasKey ? ' --ask-key' : ''})` : ''}`;
    case 'llm_budget_exceeded':
      return `Raise the budget with: ${set} --budget DOLLARS`;
    case 'model_refused_request':
      return `Try another model with: ${set} --model ID`;
    default:
      return `Check again later with: ${set}`;
  }
}

/** The key as far as it may be shown. */
export function keyCell({ has_key: has, key_hint: hint }: LlmCredentialOut): string {
  if (!has) return 'none';
  return hint === '' ? 'stored' : `…${hint}`;
}
