import { ApiError } from '#contract/client.ts';
import { Failure } from '../../failure.tsx';
import type { States } from '../states.ts';

const refused = (status: number, code: string, message: string, more: object = {}): ApiError =>
  new ApiError(status, { code, message, request_id: 'req_1', ...more });
const nothing = (): void => undefined;

export const failure: States = {
  'the network': () => <Failure error={new TypeError('Failed to fetch')} onRetry={nothing} />,
  'a refusal with its code': () => <Failure error={refused(404, 'agent_not_found', 'There is no agent greeter')} />,
  'fields that are wrong': () => (
    <Failure error={refused(422, 'invalid', 'The request is not valid', { issues: [{ path: ['body', 'name'], message: 'Required' }] })} />
  ),
  'a fault of the page itself': () => <Failure error={new Error('x is not a function')} onRetry={nothing} />,
  'single sign-on is required': () => (
    <Failure
      error={refused(403, 'sso_required', 'Acme requires its own sign-in', { sign_in_path: '/v1/auth/sso/start?organization=acme', organization: 'acme' })}
    />
  ),
};
