// What `up` does with the workflow code that it has started: a process of its own, without the rest of the
// platform.
import type { Knex } from 'knex';
import { type TemporalOptions, temporalWorkflows } from '#drivers/workflows/temporal.ts';
import { temporalVersions } from '#drivers/workflows/versions.ts';
import { newId } from '../../kernel/ids.ts';
import { makeBuildCurrent } from './current.ts';

export interface StartOfInstallation {
  /**
   * Resolves with what was current before, or with false when Temporal has not heard of a worker with this
   * code.
   */
  makeCurrent(buildId: string): Promise<{ before: string | undefined } | false>;
  close(): Promise<void>;
}

export function startOfInstallation(db: Knex, temporal: TemporalOptions): StartOfInstallation {
  const { client, close } = temporalWorkflows(temporal);
  const versions = temporalVersions(client);
  return {
    makeCurrent: (buildId) => {
      const ctx = { db, clock: Date.now, actor: { kind: 'platform', service: 'up' } as const, requestId: newId('req') };
      return makeBuildCurrent(ctx, versions, buildId);
    },
    close,
  };
}
