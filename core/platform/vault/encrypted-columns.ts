// Every place where a sealed value is kept, in one list: a new key reaches all of them. A test finds columns
// that are not here.
import { hostKeyContext } from '../../identity/dev-box/machine.ts';
import { passwordContext } from '../../agents/database/password.ts';
import { connectionContext } from '../../imports/connection/context.ts';
import { acmeKeyContext } from '../../agents/domain/account.ts';
import { certificateKeyContext } from '../../agents/domain/resolve-host.ts';
import { secretContext } from '../../agents/secret/context.ts';
import { setupContext } from '../../agents/setup/fields.ts';
import { mailKeyContext } from '../../agents/mailbox/keys.ts';
import { apiKeyContext } from '../../agents/route/resolve.ts';
import { receiptKeyContext } from '../../evidence/receipt/keys.ts';
import { ssoSecretContext } from '../../orgs/sso/connection.ts';
import { pushContext } from '../../runs/task/push.ts';
import { keyContext } from '../../money/llm/credential.ts';

export interface EncryptedColumn {
  table: string;
  /** Of the row; its primary key. */
  key: readonly string[];
  column: string;
  /** The value is this member of a JSON column. */
  member?: string;
  /** More columns that the context is made of. */
  also?: readonly string[];
  /** What the value was sealed for. */
  context(row: Readonly<Record<string, unknown>>): string;
}

const text = (row: Readonly<Record<string, unknown>>, column: string): string => String(row[column]);

export const ENCRYPTED_COLUMNS: readonly EncryptedColumn[] = [
  { table: 'acme_accounts', key: ['directory_url'], column: 'key_sealed', context: (row) => acmeKeyContext(text(row, 'directory_url')) },
  {
    table: 'agent_connections',
    key: ['connection_id'],
    column: 'sealed',
    also: ['agent_id', 'scheme_name', 'version'],
    context: (row) => connectionContext({ agent_id: text(row, 'agent_id'), scheme_name: text(row, 'scheme_name'), version: Number(row['version']) }),
  },
  { table: 'database_logins', key: ['login_id'], column: 'password_sealed', context: (row) => passwordContext(text(row, 'login_id')) },
  { table: 'domain_certificates', key: ['certificate_id'], column: 'key_sealed', context: (row) => certificateKeyContext(text(row, 'certificate_id')) },
  { table: 'instances', key: ['instance_id'], column: 'api_key_sealed', context: (row) => apiKeyContext(text(row, 'instance_id')) },
  {
    table: 'task_pushes',
    key: ['agent_id', 'task_id', 'config_id'],
    column: 'sealed',
    context: (row) => pushContext({ agent_id: text(row, 'agent_id'), task_id: text(row, 'task_id'), config_id: text(row, 'config_id') }),
  },
  { table: 'receipt_keys', key: ['kid'], column: 'private_sealed', context: (row) => receiptKeyContext(text(row, 'kid')) },
  {
    table: 'agent_secrets',
    key: ['agent_id', 'name'],
    column: 'value_sealed',
    also: ['version'],
    context: (row) => secretContext({ agent_id: text(row, 'agent_id'), name: text(row, 'name'), version: Number(row['version']) }),
  },
  {
    table: 'consumer_setup_values',
    key: ['agent_id', 'user_id', 'field_name'],
    column: 'value_sealed',
    context: (row) => setupContext({ agent_id: text(row, 'agent_id'), user_id: text(row, 'user_id'), field_name: text(row, 'field_name') }),
  },
  { table: 'dev_boxes', key: ['box_id'], column: 'host_key_sealed', context: (row) => hostKeyContext(text(row, 'box_id')) },
  { table: 'llm_credentials', key: ['credential_id'], column: 'key_sealed', context: (row) => keyContext(text(row, 'credential_id')) },
  {
    table: 'mail_keys',
    key: ['domain', 'selector'],
    column: 'private_sealed',
    context: (row) => mailKeyContext({ domain: text(row, 'domain'), selector: text(row, 'selector') }),
  },
  { table: 'sso_connections', key: ['connection_id'], column: 'secret_sealed', context: (row) => ssoSecretContext(text(row, 'connection_id')) },
  // drivers/idp: the provider's signing keys, and ids of what is found by another key.
  { table: 'oidc_payload', key: ['kind', 'id'], column: 'payload', member: 'sealed', context: (row) => `oidc_payload:${text(row, 'kind')}:${text(row, 'id')}` },
  { table: 'oidc_payload', key: ['kind', 'id'], column: 'payload', member: 'sealed_id', context: (row) => `oidc_payload:${text(row, 'kind')}:id` },
];

export function nameOfColumn({ table, column, member }: EncryptedColumn): string {
  return `${table}.${column}${member === undefined ? '' : `.${member}`}`;
}

/** The value in a query; with `valueBindings`. */
export function valueSql({ member }: EncryptedColumn): string {
  return member === undefined ? '??' : '??->>?';
}

export function valueBindings({ column, member }: EncryptedColumn): string[] {
  return member === undefined ? [column] : [column, member];
}
