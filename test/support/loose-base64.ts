const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Other texts that lenient decoders read as the same bytes: padding, stray bits, the standard alphabet, white
 * space.
 */
export function looseForms(text: string): string[] {
  const spare = { 2: 15, 3: 3 }[text.length % 4] ?? 0;
  const last = ALPHABET.indexOf(text.slice(-1));
  const stray = Array.from({ length: spare }, (_, n) => text.slice(0, -1) + ALPHABET[(last & ~spare) | ((last + 1 + n) & spare)]);
  const forms = [`${text}=`, `${text}==`, `=${text}`, ` ${text}`, `${text} `, `${text.slice(0, 2)}\n${text.slice(2)}`, text.replaceAll('-', '+').replaceAll('_', '/'), ...stray];
  return [...new Set(forms)].filter((form) => form !== text);
} // prettier-ignore
