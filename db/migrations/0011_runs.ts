// Runs: their rows, calls on their way, what they made, what was traced.
import { migrationOf } from '../parts.ts';
import { calls } from './runs/calls.ts';
import { runs } from './runs/runs.ts';
import { traces } from './runs/traces.ts';

export const { up, down } = migrationOf(runs, calls, traces);
