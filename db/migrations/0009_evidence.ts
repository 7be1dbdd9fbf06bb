// Receipts, and what is counted from them.
import { migrationOf } from '../parts.ts';
import { counts } from './evidence/counts.ts';
import { receipts } from './evidence/receipts.ts';

export const { up, down } = migrationOf(receipts, counts);
