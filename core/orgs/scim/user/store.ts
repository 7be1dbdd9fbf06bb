// A user's document on its way into the tables.
import type { Knex } from 'knex';
import type { ScimUsersRow } from '#db/tables.ts';
import { storableJson } from '../../../kernel/storable.ts';
import { type Document, fold } from '../schema/attribute.ts';
import { valueInvalid } from '../error.ts';
import { requireCustomRoom } from '../document/custom.ts';
import { USERS } from '../schema/user.ts';
import { addressOf } from '../member/address.ts';
import { valuesOf } from './values.ts';

export type ScimUserColumns = Pick<ScimUsersRow, 'user_name_folded' | 'external_id' | 'email' | 'active'> & { document: string };

/**
 * `active`: where the document does not say. @throws BadRequest scim_value_invalid without a userName, or
 * with more of an extension than is kept
 */
export function scimUserColumns(document: Document, active: boolean): ScimUserColumns {
  const { userName, externalId } = document;
  if (typeof userName !== 'string' || userName.trim() === '') throw valueInvalid('"userName" is required');
  requireCustomRoom(USERS, document);
  return {
    user_name_folded: fold(userName),
    external_id: typeof externalId === 'string' ? externalId : null,
    email: addressOf(document),
    active: typeof document['active'] === 'boolean' ? document['active'] : active,
    document: storableJson(document),
  };
}

/** Of the whole document, in place of what was there. */
export async function storeValues(tx: Knex.Transaction, organization_id: string, scim_id: string, document: Document): Promise<void> {
  await tx('scim_user_values').where({ scim_id }).del();
  await addValues(tx, organization_id, scim_id, document);
}

export async function addValues(tx: Knex.Transaction, organization_id: string, scim_id: string, document: Document): Promise<void> {
  const values = valuesOf(document);
  if (values.length === 0) return;
  const list = <K extends 'attribute' | 'element' | 'value'>(name: K) => values.map((value) => value[name]);
  await tx.raw(
    `insert into scim_user_values (scim_id, organization_id, attribute, element, value)
     select ?, ?, v.attribute, v.element, v.value from unnest(?::text[], ?::int[], ?::text[]) as v (attribute, element, value)`,
    [scim_id, organization_id, list('attribute'), list('element'), list('value')],
  );
}
