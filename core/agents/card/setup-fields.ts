// What an agent declares that it needs of its callers.
import type { SetupField } from '#contract/wire/card.ts';

/** Of a stored card; most agents declare nothing. */
export function fieldsOf(card: unknown): readonly SetupField[] {
  const fields = typeof card === 'object' && card !== null && 'consumer_setup' in card ? card.consumer_setup : undefined;
  return Array.isArray(fields) ? parsedFields(fields) : [];
}

// Safe: cards are stored after they were parsed, by checkCard.
function parsedFields(fields: unknown[]): readonly SetupField[] {
  return fields as SetupField[];
}
