// Texts of failures and their traces are a payload, which the codec encrypts (drivers/workflows/codec.ts):
// they may quote people, builds and agents.
import { DefaultFailureConverter } from '@temporalio/common';

export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
