// Jobs that a job began. No route lists them, so the activity is looked through: children are newer than
// their parent.
import { queryOptions } from '@tanstack/react-query';
import { send, type Output } from '../../api/client.ts';

type Job = Output<'workLedger', 'get'>;

const PAGE = 200;
const MAX_PAGES = 5;

export interface Children {
  jobs: Job[];
  /** There may be more: the account did much since. */
  isCut: boolean;
}

export function childrenQuery({ job_id, created_at }: Pick<Job, 'job_id' | 'created_at'>) {
  return queryOptions({
    queryKey: ['workLedger', 'children', job_id],
    queryFn: async ({ signal }): Promise<Children> => {
      const jobs: Job[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { items, next_cursor: next } = await send('workLedger', 'activity', { query: { limit: PAGE, cursor } }, { signal });
        jobs.push(...items.filter(({ parent_job_id }) => parent_job_id === job_id));
        const last = items.at(-1);
        if (next === null || !last || last.created_at < created_at) return { jobs: jobs.reverse(), isCut: false };
        cursor = next;
      }
      return { jobs: jobs.reverse(), isCut: true };
    },
  });
}
