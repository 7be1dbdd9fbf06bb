import { LinksCreateCommand } from '../commands/links/create.ts';
import { LinksListCommand } from '../commands/links/list.ts';
import { LinksRevokeCommand } from '../commands/links/revoke.ts';

export const commands = [LinksListCommand, LinksCreateCommand, LinksRevokeCommand];
