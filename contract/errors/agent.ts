// What an agent's runtime refuses; the platform answers with the same codes where it checks the same.
import { errors } from './kit.ts';

export const agentErrors = errors({
  skill_input_error: { status: 400, meaning: 'The arguments do not fit the input schema of the skill.', remedy: 'Correct the places named in issues.' },
  skill_output_error: {
    status: 500,
    meaning: 'The result of the skill does not fit its output schema.',
    remedy: 'The author corrects the skill or its schema.',
  },
  skill_not_found: { status: 404, meaning: 'The agent has no skill of this name.', remedy: 'Take a name from the card of the agent.' },
  skill_invocation_error: { status: 500, meaning: 'The skill failed.', remedy: 'Read the message; the author reads the logs of the agent.' },
  skill_timeout: { status: 504, meaning: 'The skill did not end within its time limit.', remedy: 'Try again, or the author raises timeout_seconds.' },
  secret_missing: { status: 500, meaning: 'A secret that the agent needs has no value.', remedy: 'The owner sets it: svc secrets set.' },
  missing_scopes: {
    status: 403,
    meaning: 'The caller lacks scopes that the skill requires.',
    remedy: 'Ask the owner of the agent for the scopes in missing_scopes: svc callers give.',
  },
  auth_error: { status: 401, meaning: 'The agent accepts no call without valid credentials.', remedy: 'Send a token that the agent accepts.' },
  grant_invalid: { status: 403, meaning: 'The grant is forged, expired, revoked or addressed to another agent.', remedy: 'Ask for a new grant.' },
  scope_denied: { status: 403, meaning: 'A person or a policy denied the access that the skill asked for.', remedy: 'Ask for less, or give a better reason.' },
  scope_expansion_not_allowed: {
    status: 403,
    meaning: 'The skill asked for access and did not declare that it may.',
    remedy: 'The author declares allow_scope_expansion.',
  },
  cancelled_by_caller: { status: 499, meaning: 'The caller went away before the answer.', remedy: 'Call again.' },
  sandbox_unavailable: { status: 503, meaning: 'No sandbox can be reached.', remedy: 'Try again in a moment; without the platform, attach a sandbox runtime.' },
  not_available: {
    status: 501,
    meaning: 'This part of the run context needs the platform, and the run has none.',
    remedy: 'Deploy the agent, or attach a control plane.',
  },
  agent_busy: { status: 503, meaning: 'The agent is handling the maximum number of calls.', remedy: 'Try again after Retry-After.' },
  agent_not_ready: { status: 503, meaning: 'The agent is starting, stopping or out of service.', remedy: 'Try again in a moment.' },
  body_too_large: { status: 413, meaning: 'The body is larger than the limit.', remedy: 'Send less; pass large data as files.' },
  bad_request: { status: 400, meaning: 'The request is malformed.', remedy: 'Correct it as the message says.' },
  unsupported_media_type: { status: 415, meaning: 'The body has a media type that is not accepted.', remedy: 'Send JSON with content-type: application/json.' },
  not_found: { status: 404, meaning: 'There is nothing at this address.', remedy: 'Check the path and the id.' },
  method_not_allowed: { status: 405, meaning: 'The path does not take this method.', remedy: 'Use a method listed in Allow.' },
  question_expired: { status: 504, meaning: 'The question was not answered in time.', remedy: 'Call again, or give the answer as an argument.' },
  nobody_to_ask: {
    status: 403,
    meaning: "Nobody can be asked: no user called, nobody has the role, or somebody named is not of the owner's.",
    remedy: 'Call signed in, name people of the organization that owns the agent, or give the answer as an argument.',
  },
  call_failed: { status: 502, meaning: 'A call to another agent failed.', remedy: 'Read the code of the callee in the message.' },
  model_failed: {
    status: 502,
    meaning: 'A language model did not answer: the model gateway refused, or the endpoint failed.',
    remedy: 'Read the message: it names the budget that is spent, or what is not allowed.',
  },
  model_answer_invalid: {
    status: 502,
    meaning: 'The answer of a language model does not fit the schema, also after a second request.',
    remedy: 'Read the places in issues; the author simplifies the schema or takes another model.',
  },
  auth_required: {
    status: 502,
    meaning: 'The imported agent accepts no call with the credentials that its owner stored.',
    remedy: 'The owner sees which with svc auth status and stores new ones.',
  },
  remote_failed: { status: 502, meaning: 'The imported agent answered with an error.', remedy: 'Read the message; the author of the agent fixes it.' },
  workspace_denied: { status: 403, meaning: 'The policy, mode or patterns of the grant do not allow this access.', remedy: 'Ask for a wider grant.' },
  file_not_found: { status: 404, meaning: 'There is no file at this path.', remedy: 'List the files and check the path.' },
  events_gone: { status: 410, meaning: 'The oldest events asked for are no longer kept.', remedy: 'Read from the number in x-svc-oldest-event.' },
  run_gone: { status: 410, meaning: 'The run has ended and its events are no longer kept.', remedy: 'Read its result at the platform, or call again.' },
  cross_site: {
    status: 403,
    meaning: 'The request came from the page of another site, or under a host name that is not local.',
    remedy: 'Open the page of the API or agent itself and repeat the action there.',
  },
});
