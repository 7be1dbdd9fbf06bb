import { RehearseScenariosCommand } from '../commands/rehearse/scenarios.ts';
import { RehearseCommand } from '../commands/rehearse/start.ts';

export const commands = [RehearseCommand, RehearseScenariosCommand];
