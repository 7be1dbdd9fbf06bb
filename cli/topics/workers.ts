import { WorkersListCommand, WorkersSetCurrentCommand } from '../commands/workers/workers.ts';

export const commands = [WorkersListCommand, WorkersSetCurrentCommand];
