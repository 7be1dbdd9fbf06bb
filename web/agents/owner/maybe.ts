// Reading what may not be there: a 404 is null, every other refusal an error.
import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '#contract/client.ts';
import { type GroupName, type Input, type Output, type RouteName, send } from '../../api/client.ts';

export function maybe<G extends GroupName, R extends RouteName<G>>(group: G, route: R, input: Input<G, R>) {
  return queryOptions({
    queryKey: [group, route, 'maybe', input],
    queryFn: async ({ signal }): Promise<Output<G, R> | null> => {
      try {
        return await send(group, route, input, { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },
  });
}
