// Everything a host is made from. Times in milliseconds, memory in MiB.
import type { MicroVmEngine } from './microvm/port.ts';
import { BuildPlans } from './build/plans.ts';
import type { EnsureTools } from './build/toolchains.ts';
import type { EgressConfiguration } from './egress/policy.ts';
import type { BoxSettings } from './box/options.ts';
import type { SandboxSettings } from './sandbox/options.ts';

export interface SleepPolicy {
  /** Without bytes on any stream or a request in flight for this long: paused. */
  pauseAfterMs: number;
  /**
   * The same while its runs only wait for people: then it is paused and checkpointed to disk, so that the
   * runs survive loss of the machine.
   */
  pauseWaitingAfterMs: number;
  /** And for this long: suspended to its own memory file. */
  suspendAfterMs: number;
  tickMs: number;
  /** How often an agent that is awake is asked whether it answers. */
  probeEveryMs: number;
}

export interface Limits {
  /** Sum over running and paused guests, build machines included. */
  memoryBudgetMib: number;
  /**
   * Sum of the files suspended guests leave; beyond it the least recently used become cold, but for those in
   * which a run waits for a person.
   */
  memoryFilesMib: number;
  /** Below this much free disk, likewise, and those at last. */
  freeDiskMib: number;
  /** Requests that may wait for one instance to wake. */
  maxWaiters: number;
  wakeTimeoutMs: number;
  /** From boot to the first healthy answer. */
  startTimeoutMs: number;
  shutdownTimeoutMs: number;
  /** Calls made before the template snapshot. */
  warmUpCalls: number;
  /** Before its first sleep an agent loads what it serves MCP with. */
  prime: boolean;
}

export interface BuildSettings {
  /** Registry the guest's installer uses; undefined leaves the installer's own default. */
  registry?: string | undefined;
  /** Index of Python packages, likewise. */
  pythonIndex?: string | undefined;
  /** `host` or `host:port` names a build may reach. */
  egressHosts: string[];
  /** The host's certificate authorities, when TLS to the outside is intercepted. */
  caFile?: string | undefined;
  /** Limits of time and size. */
  plans: BuildPlans;
  maxLogLines: number;
  concurrency: number;
  /** How long the tests of a project may run, and the check of its types. */
  checkMs: number;
  memoryMib: number;
  /** Ceiling of all kept dependency folders. */
  cacheBytes: number;
}

export interface HostOptions {
  stateDir: string;
  /** Where the host's own key is; default: `secrets` in the state folder. */
  secretsDir?: string | undefined;
  cacheDir: string;
  /** Of snapshots that hosts share; in the cache folder when not given. */
  templatesDir?: string | undefined;
  engine: MicroVmEngine;
  /** Path of the base root file system that machines get now. */
  base(): string;
  /** Makes a read-only layer from a folder. */
  makeLayer(dir: string, out: string): Promise<{ digest: string; sizeBytes: number }>;
  /** Disk of a language's build tools, over the base. */
  tools: EnsureTools;
  /** Folder of the SDK package the guests get. */
  sdkDir(): Promise<string>;
  /**
   * Archive of what types are checked with, made on first use. Throws RuntimeError where the installation
   * lacks it; absent: this host has none.
   */
  checkTools?(): Promise<string>;
  egress: EgressConfiguration;
  /**
   * Guests' connections to the outside wait for what the platform says to them, from the start. Without, they
   * do once it wants to be asked.
   */
  askNetwork?: boolean;
  build: BuildSettings;
  /** Make the build machine's snapshot at once instead of with the first build. */
  prepareBuilds?: boolean;
  sleep: SleepPolicy;
  limits: Limits;
  /** Sandboxes for untrusted code; absent: this host has none. */
  sandboxes?: SandboxSettings;
  /** Dev boxes; absent: this host has none. */
  boxes?: BoxSettings;
  /** The host's own log, one JSON object a line. */
  log(fields: Record<string, unknown>): void;
}

export const defaultSleep: SleepPolicy = { pauseAfterMs: 5_000, pauseWaitingAfterMs: 1_000, suspendAfterMs: 60_000, tickMs: 500, probeEveryMs: 5_000 };

/** Processes that wait for suspended agents to wake: some 20 MiB each, beside the memory budget. */
export const defaultReadyProcesses = 8;

export const defaultLimits = (totalMemoryMib: number): Limits => ({
  memoryBudgetMib: Math.max(1_536, Math.floor(totalMemoryMib * 0.6)),
  memoryFilesMib: 20_480,
  freeDiskMib: 2_048,
  maxWaiters: 256,
  wakeTimeoutMs: 30_000,
  startTimeoutMs: 600_000,
  shutdownTimeoutMs: 10_000,
  warmUpCalls: 24,
  prime: true,
});

export const defaultBuild: Omit<BuildSettings, 'egressHosts'> = {
  plans: BuildPlans.parse({}),
  maxLogLines: 5_000,
  concurrency: 2,
  checkMs: 120_000,
  memoryMib: 1_024,
  cacheBytes: 8_192 * 1_048_576,
};
