// Names on the server. They are written into statements, which take no parameters there, so nothing else may
// come through here.

const NAME = /^svcdb_[a-z0-9]{8,32}(?:_[a-z0-9]{1,16})?$/;

/** All that belongs to accounts begins so. */
export const PREFIX = 'svcdb_';

/** Quoted for a statement. @throws for what is no name of ours */
export function name(text: string): string {
  if (!NAME.test(text)) throw new Error('a database, role or login has a name that is not ours');
  return `"${text}"`;
}

/** Of others: databases and roles that are on the server already. */
export function foreignName(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Roles that the logins of a project act as. */
export function groupsOf(project: string): { owner: string; readWrite: string; readOnly: string; deleteOnly: string } {
  return {
    owner: name(`${project}_owner`),
    readWrite: name(`${project}_rw`),
    readOnly: name(`${project}_ro`),
    deleteOnly: name(`${project}_del`),
  };
}
