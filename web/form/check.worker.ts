// The check beside the page: a pattern of an untrusted schema may take forever, and must not block the tab.
import { check } from './check.ts';
import type { JsonSchema } from './schema.ts';

export interface CheckRequest {
  id: number;
  schema: JsonSchema;
  value: unknown;
}

addEventListener('message', ({ data }: MessageEvent<CheckRequest>) => {
  postMessage({ id: data.id, issues: check(data.schema, data.value) });
});
