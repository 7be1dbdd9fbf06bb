// Agents, and what belongs to them: data, addresses, mailboxes, databases.
import { migrationOf } from '../parts.ts';
import { agents } from './agents/agents.ts';
import { data } from './agents/data.ts';
import { databases } from './agents/databases.ts';
import { domains } from './agents/domains.ts';
import { mailboxes } from './agents/mailboxes.ts';

export const { up, down } = migrationOf(agents, data, domains, mailboxes, databases);
