/** The issuer of purged accounts: no identity provider has it, so they have no sign-in. */
export const PURGED_ISSUER = 'purged';
