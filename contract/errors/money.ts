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
  llm_cap_reached: {
    status: 402,
    meaning: 'What the run, or the model grant, may spend does not cover the call.',
    remedy: 'Ask for less, or raise the budget that the message names.',
  },
  llm_rate_reached: { status: 429, meaning: 'The agent asks models more often in a minute than it may.', remedy: 'Try again in the next minute.' },
  models_not_declared: {
    status: 403,
    meaning: 'The agent does not declare that its runs use language models, or not of this payer.',
    remedy: 'Declare models in svc.yaml, and deploy.',
  },
  models_not_allowed: {
    status: 409,
    meaning: 'The caller does not let agents of others use a model credential of theirs.',
    remedy: 'The caller allows it with svc models set NAME --agent-run-budget DOLLARS.',
  },
  model_not_allowed: { status: 403, meaning: 'The run may not use this model.', remedy: 'Use one of the models that are allowed.' },
  model_request_invalid: { status: 400, meaning: 'The request to the model gateway cannot be taken.', remedy: 'Mend what the message names.' },
  model_gateway_unknown_path: { status: 404, meaning: 'The model gateway has no such operation.', remedy: 'docs/authoring.md lists its operations.' },
  model_gateway_busy: { status: 429, meaning: 'The agent has as many model requests under way as it may.', remedy: 'Try again when some of them have ended.' },
  too_many_model_grants: { status: 409, meaning: 'The run has as many model grants as allowed.', remedy: 'Use one of them, or let them expire.' },
  model_key_invalid: {
    status: 401,
    meaning: 'The key is neither a run credential nor the key of a model grant, or has ended.',
    remedy: 'Use the credential of the current run.',
  },
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
