// Models, their credentials and budgets.
import { errors } from './kit.ts';

export const moneyErrors = errors({
  credential_not_found: { status: 404, meaning: 'There is no model credential of this name.', remedy: 'List them: svc models list.' },
  too_many_credentials: { status: 409, meaning: 'The account has as many model credentials as allowed.', remedy: 'Delete one first.' },
  account_required: { status: 401, meaning: 'The agent is for signed-in callers only.', remedy: 'Sign in, and send the access token.' },
  account_access_used_up: {
    status: 409,
    meaning: 'The calls of the agent that the platform funds for the account are used up.',
    remedy: 'Add a model credential: svc models set.',
  },
  no_model: { status: 409, meaning: 'No model credential can serve this.', remedy: 'Add one: svc models set.' },
  unpriced_model: {
    status: 409,
    meaning: 'The credential has a budget and the model has no known price.',
    remedy: 'Give the credential a price, or remove its budget.',
  },
  llm_budget_exceeded: { status: 402, meaning: 'The budget of the month does not cover the call.', remedy: 'Raise it, or wait for the next month.' },
  model_key_refused: { status: 409, meaning: "The model's endpoint refused the key.", remedy: 'Replace it: svc models set.' },
  model_not_found: { status: 409, meaning: 'The endpoint does not have the model.', remedy: 'Choose another model for the credential.' },
  model_rate_limited: { status: 429, meaning: 'The endpoint limits the rate of requests.', remedy: 'Try again later.' },
  model_overloaded: { status: 503, meaning: 'The endpoint is overloaded.', remedy: 'Try again later.' },
  model_context_length: { status: 413, meaning: 'The request is longer than the model takes.', remedy: 'Start a new thread, or choose another model.' },
  model_refused_request: { status: 502, meaning: 'The endpoint refused the request.', remedy: 'Choose another model if it happens again.' },
  model_bad_answer: { status: 502, meaning: 'The answer of the model cannot be used.', remedy: 'Try again, or word it differently.' },
  model_timeout: { status: 504, meaning: 'The model did not answer in time.', remedy: 'Try again.' },
  model_unreachable: { status: 502, meaning: 'The endpoint cannot be reached.', remedy: 'Check the address of the credential.' },
});
