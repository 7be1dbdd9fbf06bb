import { ProtocolScenario } from '#contract/studio/protocol-steps.ts';
import type { z } from 'zod';

/** Checked as a suite of a person's is. */
export function scenario(of: z.input<typeof ProtocolScenario>): ProtocolScenario {
  return ProtocolScenario.parse(of);
}
