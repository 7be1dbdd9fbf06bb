import { ApiError } from '#contract/client.ts';
import { SsoWay } from '../../sso-way.tsx';
import type { States } from '../states.ts';

const required = (role: string): ApiError =>
  new ApiError(403, {
    code: 'sso_required',
    message: 'Acme requires its own sign-in',
    sign_in_path: '/v1/auth/sso/start?organization=acme',
    organization: 'acme',
    role,
  });

export const ssoWay: States = {
  'for a member': () => <SsoWay error={required('member')} />,
  'for an owner': () => <SsoWay error={required('owner')} />,
  'nothing to offer': () => <SsoWay error={new Error('another error')} />,
};
