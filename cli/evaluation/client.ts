// Datasets as evaluations read them: all pages.
import type { DatasetItemOut } from '#contract/quality/evaluations.ts';
import type { Api } from '../lib/api.ts';

export type EvaluationApi = Api['evaluations'];

const PAGE = 200;

/** Of a dataset, oldest first. */
export async function allExamples(api: EvaluationApi, params: { name: string; dataset: string }): Promise<DatasetItemOut[]> {
  const items: DatasetItemOut[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await api.items({ params, query: { limit: PAGE, ...(cursor !== undefined && { cursor }) } });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}
