// Names on the server: made at random, so that they say nothing of the account to others who see them there.
import { randomBytes } from 'node:crypto';

export function newServerName(): string {
  return `svcdb_${randomBytes(10).toString('hex')}`;
}

export function newDatabaseName(serverName: string): string {
  return `${serverName}_d${randomBytes(5).toString('hex')}`;
}

export function newLoginName(serverName: string): string {
  return `${serverName}_l${randomBytes(6).toString('hex')}`;
}

/** What `resources.database` of svc.yaml means: one with the agent's name, as a database may be called. */
export function databaseNameOf(agent: string): string {
  const plain = agent.replaceAll(/-+/g, '-');
  return (/^[a-z]/.test(plain) ? plain : `db-${plain}`).slice(0, 40).replace(/-$/, '');
}
