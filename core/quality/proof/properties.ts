// What the runner of a proof states of its outcome.
import type { ProofProperty } from '#contract/quality/agent-proofs.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { unreadable } from '../evaluation/readable.ts';

/** @param author who states them @throws BadRequest proof_property_invalid */
export async function requireReadable(author: string, properties: readonly ProofProperty[]): Promise<void> {
  for (const [at, property] of properties.entries()) {
    const why = await unreadable(author, property);
    if (why !== undefined) throw new BadRequest('proof_property_invalid', `Property ${at + 1}: ${why}`);
  }
}

// Safe: only begin.ts writes them, parsed.
export const proofProperties = (row: { properties: unknown }): ProofProperty[] => row.properties as ProofProperty[];
