// The rules of accounts, and what they deny.
import { errors } from './kit.ts';

export const policyErrors = errors({
  policy_rules_not_found: {
    status: 404,
    meaning: 'The rules of the account have no such version, or it is no longer kept.',
    remedy: 'Read the rules: history lists their last versions.',
  },
});
