// What of an agent's span is kept: nothing that is the platform's to say, nothing that people and models said
// unless the owner opted in, no secrets.
import { isSecretName } from '#contract/wire/sensitive.ts';
import { isContent, SVC_PREFIX } from '#contract/wire/trace-conventions.ts';
import { storableText } from '../../kernel/storable.ts';

const REDACTED = '[redacted]';
/**
 * Credentials of the platform, of providers of models, and what a header shows, wherever they stand in a
 * text.
 */
const CREDENTIALS = /\bsvc_[a-z]{2,12}_[\w-]{12,}(?:\.[\w-]+)?|\b(?:sk|pk|rk)-[\w-]{16,}|\b(?:bearer|basic) +[\w.~+/-]{12,}=*/gi;

export function cleanAttributes(attributes: Record<string, unknown>, { content }: { content: boolean }): Record<string, unknown> {
  const safeAttributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(attributes)) {
    const key = storableText(name);
    if (key === '' || key === '__proto__' || key.toLowerCase().startsWith(SVC_PREFIX) || (!content && isContent(key))) continue;
    safeAttributes[key] = cleanValue(key, value);
  }
  return safeAttributes;
}

export function cleanText(text: string): string {
  return storableText(text).replace(CREDENTIALS, REDACTED);
}

function cleanValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return isSecretName(name) ? REDACTED : cleanText(value);
  if (Array.isArray(value)) return value.map((one) => cleanValue(name, one));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [storableText(key), cleanValue(isSecretName(name) ? name : key, member)]));
  return value;
}
