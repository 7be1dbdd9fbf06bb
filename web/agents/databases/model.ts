import type { Output } from '../../api/client.ts';

export type Detail = Output<'databases', 'get'>;

/** What is read again after a change. */
export const CHANGED = ['databases'] as const;
