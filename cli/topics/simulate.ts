import { SimulateReplayCommand } from '../commands/simulate/replay.ts';
import { SimulateListCommand, SimulateShowCommand, SimulateTemplatesCommand } from '../commands/simulate/show.ts';
import { SimulateCommand } from '../commands/simulate/start.ts';

export const commands = [SimulateTemplatesCommand, SimulateListCommand, SimulateShowCommand, SimulateReplayCommand, SimulateCommand];
