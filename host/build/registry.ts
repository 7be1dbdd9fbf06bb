// Which registries builds may reach: what npm on this host is configured with, or what the operator says. No
// name is written here.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { parseJson } from '#drivers/runtime/lines.ts';
import { RuntimeError } from '#drivers/runtime/port.ts';

export interface BuildEgress {
  registry: string | undefined;
  /** Index of Python packages. */
  pythonIndex: string | undefined;
  /** `host` or `host:port`. */
  hosts: string[];
}

/** `override` is SVC_BUILD_EGRESS: hosts separated by commas; the first may be a registry's URL. */
export async function buildEgress(override: string | undefined): Promise<BuildEgress> {
  const [packages, python] = await Promise.all([npmEgress(override), pythonIndex()]);
  const hosts = override === undefined ? [...new Set([...packages.hosts, ...(python?.hosts ?? [])])] : packages.hosts;
  return { registry: packages.registry, hosts, pythonIndex: python?.index };
}

async function npmEgress(override: string | undefined): Promise<Pick<BuildEgress, 'registry' | 'hosts'>> {
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
    const registry = stdout.trim().split('\n').at(-1) ?? '';
    return URL.canParse(registry) ? clean(registry) : undefined;
  } catch {
    return undefined;
  }
}

/** What pip prints of its configuration, and of the index it takes when nothing is configured. */
const askPip = `
import json, subprocess, sys
said = subprocess.run([sys.executable, '-m', 'pip', 'config', 'list'], capture_output=True, text=True).stdout
named = [line.split('=', 1)[1].strip("'") for line in said.splitlines() if line.split('=', 1)[0].endswith('index-url')]
from pip._internal.models.index import PyPI
print(json.dumps({'indexes': named or [PyPI.simple_url], 'files': [] if named else [PyPI.file_storage_domain]}))
`;
const PipConfiguration = z.object({ indexes: z.array(z.string()), files: z.array(z.string()) });

/**
 * A configured index keeps its files on its own host; where it does not, the operator names theirs in
 * SVC_BUILD_EGRESS.
 */
export async function pythonIndex(): Promise<{ index: string; hosts: string[] } | undefined> {
  try {
    const { stdout } = await promisify(execFile)('python3', ['-c', askPip], { timeout: 20_000 });
    const { indexes, files } = PipConfiguration.parse(parseJson(stdout));
    const addresses = indexes.flatMap((one) => one.split(/\s+/)).filter((one) => URL.canParse(one));
    const [index] = addresses;
    return index === undefined ? undefined : { index: clean(index), hosts: [...addresses.map(authority), ...files] };
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
