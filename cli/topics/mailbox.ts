import { MailboxCreateCommand } from '../commands/mailbox/create.ts';
import { MailboxEventsCommand } from '../commands/mailbox/events.ts';
import { MailboxRemoveCommand } from '../commands/mailbox/remove.ts';
import { MailboxSetCommand } from '../commands/mailbox/set.ts';
import { MailboxShowCommand } from '../commands/mailbox/show.ts';

export const commands = [MailboxShowCommand, MailboxCreateCommand, MailboxSetCommand, MailboxRemoveCommand, MailboxEventsCommand];
