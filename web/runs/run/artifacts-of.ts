import type { JobEvent } from './events/log.ts';

export interface Artifact {
  name: string;
  type: string;
  size: number;
}

/**
 * Each name once: a file that is made again replaces the one before. Events of agents are not believed to be
 * whole.
 */
export function artifactsOf(events: readonly Pick<JobEvent, 'kind' | 'payload'>[]): Artifact[] {
  const files = new Map<string, Artifact>();
  for (const { kind, payload } of events) {
    if (kind !== 'run.artifact') continue;
    const { name, mime_type: type, size_bytes: size } = payload;
    if (typeof name !== 'string' || name === '') continue;
    files.set(name, { name, type: typeof type === 'string' ? type : 'application/octet-stream', size: typeof size === 'number' ? size : 0 });
  }
  return [...files.values()];
}
