// An archive: gzipped, one event a line, oldest first.
import type { JobEvent } from '../model.ts';

export function archiveKey(jobId: string): string {
  return `archive/jobs/${jobId}.ndjson.gz`;
}

export function toLine({ seq, kind, payload, at }: JobEvent): string {
  return `${JSON.stringify({ seq, kind, payload, at: at.toISOString() })}\n`;
}

export function fromLine(jobId: string, line: string): JobEvent {
  const { seq, kind, payload, at } = asEvent(JSON.parse(line));
  return { job_id: jobId, seq, kind, payload, at: new Date(at) };
}

// Safe: archives have one writer, toLine.
function asEvent(value: unknown): Omit<JobEvent, 'at' | 'job_id'> & { at: string } {
  return value as Omit<JobEvent, 'at' | 'job_id'> & { at: string };
}
