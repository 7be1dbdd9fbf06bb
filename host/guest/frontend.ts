// The packed frontend that the build left in the layer, for the runtime to serve.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '#drivers/runtime/lines.ts';

export interface Frontend {
  dist: string;
  mount: string;
  auth: string;
  mode?: string;
  controlPlaneUrl?: string;
}

/**
 * Undefined where there is none. The build wrote both; a layer that was tampered with harms its own agent.
 */
export function packedFrontend(app: string, controlPlaneUrl: string | undefined): Frontend | undefined {
  const settings = join(app, '.svc', 'frontend.json');
  if (!existsSync(settings)) return undefined;
  const config = parseJson(readFileSync(settings, 'utf8'));
  if (typeof config !== 'object' || config === null || !('mount' in config) || !('auth' in config)) return undefined;
  return {
    dist: join(app, '.svc', 'frontend'),
    mount: String(config.mount),
    auth: String(config.auth),
    ...('mode' in config && { mode: String(config.mode) }),
    ...(controlPlaneUrl === undefined ? {} : { controlPlaneUrl }),
  };
}
