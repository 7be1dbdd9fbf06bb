// Text from agents and uploads may hold what PostgreSQL's jsonb refuses: U+0000 and lone surrogates. Refusing
// it there would let an agent stop its own log, outcome or receipt from being written.

/** The value as JSON text that jsonb takes; what it cannot hold becomes U+FFFD. */
export function storableJson(value: unknown): string {
  return JSON.stringify(storable(value));
}

/** The same for one text. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** The value as JSON.stringify would write it, with every text and member name storable. */
export function storable(value: unknown): unknown {
  const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
  return clean(plain, storableText);
}

/** With U+FFFD for each lone surrogate, in texts and member names. As deep as JSON.parse goes. */
export function wellFormed(value: unknown): unknown {
  return clean(value, (text) => text.toWellFormed());
}

function clean(value: unknown, text: (of: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((member) => clean(member, text));
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, member]) => [text(key), clean(member, text)]));
  return value;
}
