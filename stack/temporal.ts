// The Temporal development server of this machine, run as temporal-dev.yml says but on loopback and with its
// state in our folder.
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Program } from './program.ts';

export interface DevServerOptions {
  /** The `temporal` program. */
  binary: string;
  port: number;
  /** On loopback, for the part `temporal-ui`. Undefined: no Web UI. */
  uiPort?: number;
  /** Where browsers find the part `temporal-ui`, which decrypts payloads. */
  codecUrl?: string;
  /** Holds all state; made on the first start. */
  databaseFile: string;
}

const composeFile = new URL('../temporal-dev.yml', import.meta.url);
const Compose = z.object({ services: z.object({ temporal: z.object({ image: z.string(), command: z.array(z.string()) }) }) });

/** How to run the server. */
export function devServer(options: DevServerOptions): Program {
  mkdirSync(dirname(options.databaseFile), { recursive: true, mode: 0o700 });
  const ui =
    options.uiPort === undefined
      ? ['--headless']
      : [`--ui-port=${options.uiPort}`, ...(options.codecUrl === undefined ? [] : [`--ui-codec-endpoint=${options.codecUrl}`])];
  const ours = ['--ip=127.0.0.1', `--port=${options.port}`, `--db-filename=${options.databaseFile}`, ...ui];
  const fileArguments = devServerArguments().filter((argument) => !replaced.has(argument.split('=', 1)[0] ?? ''));
  return {
    command: options.binary,
    args: [...fileArguments, ...ours],
    // HOME must exist for its settings file; an own value keeps the user's settings from changing the server.
    env: { PATH: '/usr/bin:/bin', HOME: dirname(options.databaseFile), TZ: 'UTC' },
  };
}

/** The service's arguments as temporal-dev.yml has them. */
export function devServerArguments(): string[] {
  return service().command;
}

/** The namespace that the file makes. */
export function devServerNamespace(): string {
  const [namespace] = devServerValues('--namespace');
  if (namespace === undefined) throw new Error('temporal-dev.yml names no namespace: add --namespace=svc to its command');
  return namespace;
}

/** Names of the search attributes that the file makes; all are keywords. */
export function devServerSearchAttributes(): string[] {
  return devServerValues('--search-attribute').map((pair) => pair.replace(/=Keyword$/, ''));
}

/** The values of a flag, as often as the file gives it. */
export function devServerValues(flag: string): string[] {
  return devServerArguments().flatMap((argument) => (argument.startsWith(`${flag}=`) ? [argument.slice(flag.length + 1)] : []));
}

const replaced = new Set(['--ip', '--port', '--ui-port', '--db-filename']);

function service() {
  return Compose.parse(parse(readFileSync(composeFile, 'utf8'))).services.temporal;
}
