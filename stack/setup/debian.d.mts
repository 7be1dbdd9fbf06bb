import type { Step } from './steps.mjs';
type Environment = Readonly<Record<string, string | undefined>>;
export interface DebianOptions {
  /** Asks nobody. */
  yes: boolean;
  /** Somebody can be asked. */
  terminal: boolean;
  wanted: readonly string[];
  extra: readonly string[];
}
export declare function debianStep(env: Environment, options: DebianOptions): Promise<Step>;
