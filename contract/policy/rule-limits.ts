// How much the rules of an account may be. Apart from the routes: the dashboard reads files of rules too.

export const MAX_RULES = 100;
export const MAX_RULE_LENGTH = 8_192;
export const MAX_RULES_LENGTH = 65_536;
/** Decisions that a change is tried over at once. */
export const MAX_TRIED = 5_000;
/** Examples of what a change would do. */
export const MAX_EXAMPLES = 20;

export const RULE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
