// What processes run of this area.
import type { Abandon } from '../jobs/reconcile.ts';
import { abandonLoop } from './review-loop/end.ts';
import { KIND } from './review-loop/model.ts';

/** By kind of job: ends one whose workflow is gone. */
export const studioAbandons: Record<string, Abandon> = { [KIND]: abandonLoop };
