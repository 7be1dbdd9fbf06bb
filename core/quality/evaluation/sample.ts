// Which runs a rule scores: the same run is always in or out, whichever process asks.
import { createHash } from 'node:crypto';
import type { EvaluationRulesRow } from '#db/tables.ts';

type Sampled = Pick<EvaluationRulesRow, 'rule' | 'skills' | 'sample'>;

export function isSampled({ rule, skills, sample }: Sampled, run: { run_id: string; skill: string }): boolean {
  if (skills.length > 0 && !skills.includes(run.skill)) return false;
  if (sample >= 1) return true;
  return createHash('sha256').update(`${run.run_id}\n${rule}`).digest().readUInt32BE() / 2 ** 32 < sample;
}
