import { AuthApiKeyCommand } from '../commands/auth/api-key.ts';
import { AuthBearerCommand } from '../commands/auth/bearer.ts';
import { AuthDeleteCommand } from '../commands/auth/delete.ts';
import { AuthMtlsCommand } from '../commands/auth/mtls.ts';
import { AuthOauthTokenCommand } from '../commands/auth/oauth-token.ts';
import { AuthStatusCommand } from '../commands/auth/status.ts';

export const commands = [AuthStatusCommand, AuthApiKeyCommand, AuthBearerCommand, AuthMtlsCommand, AuthOauthTokenCommand, AuthDeleteCommand];
