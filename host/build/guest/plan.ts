// What the host asks of the build program, and where everything is inside the build machine.
export const buildPaths = {
  root: '/work',
  source: '/work/src',
  /** What becomes the layer; its root is the guest's root. */
  out: '/work/out',
  /** The platform's SDK package, unpacked. */
  sdk: '/work/sdk',
  /** What only checks need. */
  checks: '/work/checks',
} as const;

/**
 * Below `checks`, where types are checked: the compiler with its library, the SDK's declarations, and
 * packages that have nothing else.
 */
export const checkToolPaths = { compiler: 'tsc', sdk: 'sdk-types', modules: 'modules' } as const;

/** The SDK as one CommonJS file, in its package's folder and then in the layer. */
export const sdkBundle = 'svc-sdk.cjs';
/** The same with what serves workers in other languages. */
export const sidecarBundle = 'svc-sidecar.cjs';
/** Beside a bundle: what V8 made of it. */
export const codeCacheOf = (bundle: string): string => `${bundle}.v8`;

/**
 * The same path in the machine that builds and in the agent's. @param version e.g. 3.13; undefined: the base
 * image's
 */
export const interpreterOf = (version: string | undefined): string =>
  version === undefined ? '/usr/bin/python3' : `/opt/python${version}/bin/python${version}`;

export const pythonPaths = {
  uv: '/usr/local/bin/uv',
  /** On the disk of Python builds: pydantic and the SDK, compiled for where they will lie in a layer. */
  platform: '/opt/svc/python/platform',
  /** What `platform` was made of, the same as requirements, and what the SDK itself asks for. */
  wheels: '/opt/svc/python/wheels',
  pinned: '/opt/svc/python/pinned.txt',
  loose: '/opt/svc/python/loose.txt',
  /** Where dependencies are installed, and below which they are kept. */
  siteFolder: 'site',
  site: '/work/site',
} as const;

/** Below an agent's folder: its packages, imported after the project's own modules. */
export const siteInApp = '.svc/site';

/** Of Node in every machine. */
export const nodePath = '/usr/local/bin/node';

/** DSL_FILE of contract/wire/dsl.ts, whose module would bring a validator into the guest. */
export const dslFile = '.svc/agent.dsl.json';

/** Programs leave the card here for the host, as far as they know it. */
export const cardPath = '/work/card.json';

/** Plain types: the host writes it, and the program in the guest loads no validator for it. */
export interface BuildPlan {
  /**
   * `begin` goes as far as it can: it stops before an install whose result is known, and after one whose
   * result is to be kept, which must be done before any code of the project has run. `bundle` is the rest. A
   * frontend's packages are installed before all that (`frontend_begin`), and it is built and packed after it
   * (`frontend`). `check` runs the project's tests and prints its verdict.
   */
  stage: 'begin' | 'bundle' | 'frontend_begin' | 'frontend' | 'check';
  language: 'node' | 'python' | 'go' | 'rust';
  /** Of its Python or Node, where it is not the base image's. */
  version?: string;
  /** Keys of kept installs. */
  known: string[];
  /** Part of the keys: what else decides an install. */
  salt: string;
  source: string;
  out: string;
  sdk: string;
  /** `module:Class`. */
  entrypoint: string;
  registry?: string;
  /** The block of svc.yaml. */
  frontend?: { path: string; build: string; dist: string; mount: string; auth: string; mode?: string | undefined };
  /**
   * The block `service` of svc.yaml, checked, with the agent's name and version: the project is an HTTP
   * service.
   */
  service?: PlannedService;
  /** Index of Python packages. */
  python_index?: string;
  egress: string;
  egress_port: number;
  max_output_bytes: number;
  /** Of everything the build writes. */
  max_disk_bytes: number;
  /** What follows where a limit is met: whose it is, what to do. */
  remedy: string;
  /** Of `check`: whether types are checked too, and how long each of both may take. */
  check?: { types: boolean; within_ms: number };
  /** What was installed stays where it is: the host has it. */
  kept: boolean;
}

export interface PlannedService {
  name: string;
  version: string;
  declaration: { openapi: string; args?: string[] | undefined };
}

/** What `begin` prints as its first line on standard output, before it continues. */
export interface Inspection {
  /** Where it will stop. */
  until: 'inspected' | 'installed' | 'bundled';
  /**
   * Hash of everything that decides what an install yields; null when that cannot be known beforehand, or
   * nothing is to be installed.
   */
  cache_key: string | null;
}

/** What `check` prints as a line on standard output. */
export interface Verdict {
  passed: boolean;
  /** Of what failed; empty when nothing did. */
  message: string;
}

/** A mistake of the author: printed without a stack, exit code 65. */
export class AuthorError extends Error {}
export const authorExit = 65;
