// What one kind of world is: its roles with their strategies, its rules, what happens at the end of a step,
// and what is measured.
import type { Actor, World } from './world.ts';

/** A whole number that a world or a strategy is set by. */
export interface Range {
  min: number;
  max: number;
  /** Where nothing is said. */
  value: number;
  about: string;
}

export interface Strategy {
  about: string;
  parameters: Readonly<Record<string, Range>>;
  /** The turn of one actor in a step. */
  act(world: World, actor: Actor): void;
}

export interface Kind {
  title: string;
  about: string;
  /** By role, by name. */
  roles: Readonly<Record<string, Readonly<Record<string, Strategy>>>>;
  rules: Readonly<Record<string, Range>>;
  /** What is measured after each step, whole numbers: what each means, with its unit. */
  metrics: Readonly<Record<string, string>>;
  /**
   * The role whose strategy evolution changes: of all its actors, or of the first, among others who stay as
   * they are.
   */
  subject: string;
  studies: 'all' | 'first';
  begin?(world: World): void;
  settle(world: World): void;
  sample(world: World): Readonly<Record<string, number>>;
  /** How well the subject's strategies did, in thousandths of a point: 0 to 100,000. */
  score(world: World): number;
}

export const range = (min: number, max: number, value: number, about: string): Range => ({ min, max, value, about });

/** `part` of `whole` in a thousand; of nothing: 0. */
export const permille = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.floor((part * 1000) / whole));

/** Within the range. */
export const clamp = (value: number, { min, max }: Pick<Range, 'min' | 'max'>): number => Math.max(min, Math.min(max, value));
