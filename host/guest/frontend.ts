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

/** Undefined where there is none. The build wrote both; a layer that was tampered with harms its own agent. */
export function packedFrontend(app: string, controlPlaneUrl: string | undefined): Frontend | undefined {
  const settings = join(app, '.svc', 'frontend.json');
  if (!existsSync(settings)) return undefined;
  const said = parseJson(readFileSync(settings, 'utf8'));
  if (typeof said !== 'object' || said === null || !('mount' in said) || !('auth' in said)) return undefined;
  return {
    dist: join(app, '.svc', 'frontend'),
    mount: String(said.mount),
    auth: String(said.auth),
    ...('mode' in said && { mode: String(said.mode) }),
    ...(controlPlaneUrl === undefined ? {} : { controlPlaneUrl }),
  };
}
