// Receipts and sessions as documents.
import { errors } from './kit.ts';

export const evidenceErrors = errors({
  proof_not_found: { status: 404, meaning: 'There is no such proof that the caller can see.', remedy: 'List yours: svc proof list.' },
  proof_not_published: { status: 409, meaning: 'The proof is not published, so there is nothing to withdraw.', remedy: 'Nothing: only you see it.' },
  proof_no_case: { status: 409, meaning: 'No arguments that fit the skill could be made.', remedy: 'Give arguments, or examples in the input schema.' },
  proof_property_invalid: { status: 400, meaning: 'A pattern or a schema in the request is invalid.', remedy: 'Correct what the message names.' },
  proof_not_by_owner: { status: 403, meaning: 'Only the owner of an agent publishes proofs of it.', remedy: 'Run it without publishing.' },
  proof_no_files: { status: 409, meaning: 'The agent does not work with files.', remedy: 'Run the proof without files.' },
  too_many_proofs: { status: 409, meaning: 'The account has reached its limit of proofs under way.', remedy: 'Wait for some to end, or cancel them.' },
  proof_invalid: { status: null, meaning: 'The document is not a proof, or it was changed.', remedy: 'Fetch it again; do not trust this copy.' },
  receipt_not_found: { status: 404, meaning: 'There is no such receipt that the caller can see.', remedy: 'Check the id.' },
  receipt_invalid: { status: 400, meaning: 'The receipt cannot be read, or its signature does not match.', remedy: 'Send the unchanged token.' },
  receipt_key_unknown: { status: 400, meaning: 'No published key has this key id (kid).', remedy: 'Check which platform issued the receipt.' },
  receipt_outside_key: { status: 400, meaning: 'The call ended outside the validity of the key.', remedy: 'Do not trust the receipt.' },
  receipt_other_agent: { status: 400, meaning: 'The receipt is of another agent.', remedy: 'Hand it in at that agent.' },
  receipt_exists: { status: 409, meaning: 'Another receipt is stored under this id.', remedy: 'Keep the stored one; it cannot be replaced.' },
  not_your_agent: { status: 403, meaning: 'Only the owner of the agent may do this.', remedy: 'Ask its owner.' },
  session_invalid: { status: null, meaning: 'The log of the session was changed or is incomplete.', remedy: 'Fetch it again; do not trust this copy.' },
  bad_window: {
    status: 400,
    meaning: 'The window of time is empty, or has too many buckets.',
    remedy: 'Give from before to, and a bucket that fits the window.',
  },
  not_canonical_json: { status: null, meaning: 'The value has no canonical JSON.', remedy: 'Leave out what JSON cannot express.' },
});
