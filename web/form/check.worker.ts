// The check beside the page: a pattern of somebody else's schema may take for ever, and must not stop the tab.
import { check } from './check.ts';
import type { JsonSchema } from './schema.ts';

export interface CheckAsked {
  id: number;
  schema: JsonSchema;
  value: unknown;
}

addEventListener('message', ({ data }: MessageEvent<CheckAsked>) => {
  postMessage({ id: data.id, issues: check(data.schema, data.value) });
});
