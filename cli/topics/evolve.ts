import { EvolveCommand, EvolveReplayCommand, EvolveShowCommand } from '../commands/evolve.ts';

export const commands = [EvolveShowCommand, EvolveReplayCommand, EvolveCommand];
