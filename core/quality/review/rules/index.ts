// Every rule of a review.
import type { ReviewRule } from '../rule.ts';
import { floatingDependency, knownAdvisory, lockFile } from './dependencies.ts';
import { refusedEgress, unboundedEgress } from './egress.ts';
import { riskyCode } from './risky-code.ts';
import { untypedSchema } from './schemas.ts';
import { secretToken } from './secret-token.ts';
import { secretValue } from './secret-value.ts';
import { undeclaredSecret } from './undeclared-secret.ts';
import { grantWiderThanWrites, missingScopes } from './workspace.ts';

export const REVIEW_RULES: readonly ReviewRule[] = [
  secretToken,
  secretValue,
  unboundedEgress,
  refusedEgress,
  grantWiderThanWrites,
  missingScopes,
  untypedSchema,
  riskyCode,
  undeclaredSecret,
  lockFile,
  floatingDependency,
  knownAdvisory,
];
