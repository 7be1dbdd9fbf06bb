// What a suite of other people's is, for the program that runs them all.
import type { AgentName, DeployedWorld } from './world.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped?: number;
  /** Failures that a list of ours explains. */
  listed?: number;
}

export interface Suite {
  name: string;
  agents: readonly AgentName[];
  /** Of the installation. */
  settings?: Record<string, string>;
  /** Prints what failed. */
  run(world: DeployedWorld): Promise<Counts>;
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);
