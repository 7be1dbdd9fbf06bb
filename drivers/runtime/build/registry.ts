// Which registries builds may reach: what npm on this host is configured with, or what the operator says. No name is written here.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { RuntimeError } from '../port.ts';

export interface BuildEgress {
  registry: string | undefined;
  /** `host` or `host:port`. */
  hosts: string[];
}

/** `override` is SVC_BUILD_EGRESS: hosts separated by commas; the first may be a registry's URL. */
export async function buildEgress(override: string | undefined): Promise<BuildEgress> {
  if (override !== undefined) {
    const parts = override
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    const registry = parts.find((part) => part.includes('://'));
    return {
      registry: registry === undefined ? await npmRegistry() : clean(registry),
      hosts: parts.map((part) => (part.includes('://') ? authority(part) : part)),
    };
  }
  const registry = await npmRegistry();
  return { registry, hosts: registry === undefined ? [] : [authority(registry)] };
}

async function npmRegistry(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], { timeout: 20_000 });
    const found = stdout.trim().split('\n').at(-1) ?? '';
    return URL.canParse(found) ? clean(found) : undefined;
  } catch {
    return undefined;
  }
}

/** Without user and password: what the host may know, a guest may not. */
function clean(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}

function authority(address: string): string {
  if (!URL.canParse(address)) throw new RuntimeError('internal', `SVC_BUILD_EGRESS holds "${address}", which is no address.`);
  const url = new URL(address);
  return url.host;
}
