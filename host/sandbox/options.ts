// What the sandboxes of a host are made from and how much of it they may use.
import type { SandboxImages } from './images.ts';

export interface SandboxSettings {
  images: SandboxImages;
  /** Sandboxes at once, stopped ones with kept logs not counted. */
  maxRunning: number;
  /** Sandboxes remembered, stopped ones included. */
  maxKept: number;
  maxMemoryMib: number;
  /** Machines of the usual kind that wait, ready, for the next sandbox; 0 for none. */
  spares: number;
  /** The usual kind, of which spares are kept. */
  usual: { image: string; memoryMib: number; cpus: number };
  /** The first is made so long after the host's start. */
  prepareAfterMs: number;
  /** Each is made when this machine has little else to do, or after so long. */
  idleWithinMs: number;
}

export const defaultSandboxes: Omit<SandboxSettings, 'images'> = {
  maxRunning: 64,
  maxKept: 1_000,
  maxMemoryMib: 8_192,
  spares: 1,
  usual: { image: 'python:3.11-slim', memoryMib: 512, cpus: 1 },
  prepareAfterMs: 5_000,
  idleWithinMs: 30_000,
};

/** What a sandbox may write (in memory: there is no disk behind it), MiB. */
export const scratchOf = (memoryMib: number): number => Math.floor(memoryMib / 2);

/**
 * Machines come in steps of this, so that few snapshots serve all; a sandbox has the next step at or above
 * what was asked.
 */
const stepMib = 256;
export const machineMemory = (memoryMib: number): number => Math.ceil(memoryMib / stepMib) * stepMib;

/**
 * Memory of the emulator beside its guest's, MiB: it keeps more translated code than an agent's, for programs
 * are many and each is new.
 */
export const emulatorMib = 128;
