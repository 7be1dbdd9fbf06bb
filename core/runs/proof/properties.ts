// What the runner of a proof states of its outcome.
import type { ProofProperty } from '#contract/evidence/agent-proofs.ts';
import { modelOf } from '#contract/wire/arguments.ts';
import { LIMIT_MS, within } from '../../kernel/bounded.ts';
import { BadRequest } from '../../kernel/errors.ts';

/** @throws BadRequest proof_property_invalid */
export function requireReadable(properties: readonly ProofProperty[]): void {
  for (const [at, property] of properties.entries()) {
    try {
      if (property.kind === 'matches') void new RegExp(property.pattern, 'u');
      else if (property.kind === 'schema' && within(LIMIT_MS, () => modelOf(property.schema)) === undefined) throw new Error('it takes too long to read');
    } catch (error) {
      const what = property.kind === 'schema' ? 'schema' : 'pattern';
      throw new BadRequest(
        'proof_property_invalid',
        `The ${what} of property ${at + 1} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}

// Safe: begin.ts alone writes them, parsed.
export const propertiesOf = (row: { properties: unknown }): ProofProperty[] => row.properties as ProofProperty[];
