import { ModelsCatalogCommand } from '../commands/models/catalog.ts';
import { ModelsDeleteCommand } from '../commands/models/delete.ts';
import { ModelsListCommand } from '../commands/models/list.ts';
import { ModelsSetCommand } from '../commands/models/set.ts';
import { ModelsUsageCommand } from '../commands/models/usage.ts';

export const commands = [ModelsListCommand, ModelsSetCommand, ModelsDeleteCommand, ModelsCatalogCommand, ModelsUsageCommand];
