// Long work on agents: recipes, challenges, rehearsals, trials, teams, and what an account keeps of it.
import { migrationOf } from '../parts.ts';
import { autopilot } from './studio/autopilot.ts';
import { brain } from './studio/brain.ts';
import { reviewLoops } from './studio/review-loops.ts';
import { simulations } from './studio/simulations.ts';
import { studio } from './studio/studio.ts';
import { teams } from './studio/teams.ts';
import { trialRooms } from './studio/trial-rooms.ts';
import { worlds } from './studio/worlds.ts';

export const { up, down } = migrationOf(studio, autopilot, worlds, simulations, reviewLoops, trialRooms, teams, brain);
