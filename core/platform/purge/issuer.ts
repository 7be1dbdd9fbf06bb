/** The issuer of accounts that are no more: no identity provider has it, so nobody signs in to them. */
export const PURGED_ISSUER = 'purged';
