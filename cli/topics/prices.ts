import { PricesListCommand } from '../commands/prices/list.ts';
import { PricesEndCommand, PricesSetCommand } from '../commands/prices/set.ts';

export const commands = [PricesListCommand, PricesSetCommand, PricesEndCommand];
