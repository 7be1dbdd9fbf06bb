// The first document: the control plane. Its routes are sentences under their own names (`agents.mine`);
// these are about all of them.
export const CONTROL_PLANE = {
  'routes.success': 'each route answers with its declared status and schema',
  'scopes.credentials': 'what is not public asks for credentials: 401',
  'scopes.kinds': 'each scope admits its own kinds of callers: 403',
  'errors.not_found': 'a record that is not there, or not yours: 404',
  'errors.unprocessable': 'parameters and bodies that do not fit: 422',
  'errors.rate': 'routes that list 429 limit how often they are called',
  'errors.timeout': 'an agent that does not answer in time: 504',
  'errors.agent_status': "detail.agent_status is the agent's own status, where one was seen",
  'sessions.csrf': 'mutations with a browser session are protected against other sites',
  'sessions.cookie': 'the platform cookie never reaches an agent',
  'codes.once': 'hand-over codes are short-lived and work once',
  'receipts.key': 'receipts are signed with Ed25519; the key is published',
  'openapi.document': 'the API describes itself in OpenAPI 3.1.0',
  'agents.tarball_ceiling': 'a tarball beyond the ceiling: 413',
} as const;
