// Says who calls it: people by the platform's word, programs by a key of its own. `pass` calls another of these.
import { Agent, APIKeyAuth, APIKeyAuthResolver, PlatformUserAuth, PlatformUserAuthResolver, skill, z, type RunContext } from '@svc/sdk';

const said = ({ auth, caller }: RunContext): string =>
  `seen:${Buffer.from(JSON.stringify({ auth, caller: caller && { ...caller } })).toString('base64url')};`;

class Says extends Agent {
  override name = 'says';
  override description = 'Says who calls it.';
  override version = '1.0.0';
  override concurrency = 4;
  who = skill({}, async (ctx) => said(ctx));
  admin = skill({ scopes: ['admin'] }, async (ctx) => said(ctx));
  pass = skill({ input: z.object({ to: z.string() }) }, async (ctx, { to }) => (await ctx.call(to, 'who', {})).result);
}

export class People extends Says {
  override authModel = PlatformUserAuth;
  override authResolver = new PlatformUserAuthResolver();
}

export class Key extends Says {
  override authModel = APIKeyAuth;
  override authResolver = new APIKeyAuthResolver({ acceptedKey: 'theirs' });
}
