// What is found out about agents: scores, evaluations, proofs, reviews, findings.
import { migrationOf } from '../parts.ts';
import { evaluations } from './quality/evaluations.ts';
import { findings } from './quality/findings.ts';
import { proofs } from './quality/proofs.ts';

export const { up, down } = migrationOf(evaluations, proofs, findings);
