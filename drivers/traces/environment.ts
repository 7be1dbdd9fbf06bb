// Where an operator's collector is, from the environment.
import { z } from 'zod';
import { namedValues } from '../environment-lists.ts';
import type { TraceCollector } from './exporter.ts';

export const traceVariables = {
  /** URL that takes OTLP over HTTP in protobuf: traces of all runs are exported there. Absent: nowhere. */
  SVC_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** `name=value`, separated by commas: headers of each export. */
  SVC_TRACES_HEADERS: namedValues.optional(),
};

export function traceCollector(env: {
  SVC_TRACES_ENDPOINT?: string | undefined;
  SVC_TRACES_HEADERS?: Record<string, string> | undefined;
}): TraceCollector | undefined {
  return env.SVC_TRACES_ENDPOINT === undefined ? undefined : { endpoint: env.SVC_TRACES_ENDPOINT, headers: env.SVC_TRACES_HEADERS ?? {} };
}
