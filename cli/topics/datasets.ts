import { DatasetsAddCommand } from '../commands/datasets/add.ts';
import { DatasetsListCommand } from '../commands/datasets/list.ts';
import { DatasetsRmCommand } from '../commands/datasets/rm.ts';
import { DatasetsShowCommand } from '../commands/datasets/show.ts';

export const commands = [DatasetsListCommand, DatasetsAddCommand, DatasetsShowCommand, DatasetsRmCommand];
