import type { Output } from '../../api/client.ts';

export const PLANNERS: Record<Output<'dagRuns', 'get'>['planner'], string> = {
  steps: 'Steps that were written',
  rules: 'Read in words by rules',
  model: 'Chosen by a language model',
  team: 'Made for a team by its protocol',
};
