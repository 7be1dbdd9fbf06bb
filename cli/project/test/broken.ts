// Projects with the mistakes that people make on their first day, and where each is.

export interface Broken {
  /** The mistake, as a test's name. */
  title: string;
  language: 'typescript' | 'python';
  /** Beside svc.yaml, whose entrypoint is `agent:Weather`. */
  source: string;
  /** What is named: line, and column where it is known, then words that say what to do. */
  named: readonly RegExp[];
}

const typescript = (title: string, source: string, ...named: RegExp[]): Broken => ({ title, language: 'typescript', source, named });
const python = (title: string, source: string, ...named: RegExp[]): Broken => ({ title, language: 'python', source, named });

export const BROKEN: readonly Broken[] = [
  typescript(
    'a setting in the singular',
    `import { Agent, skill, z } from '@svc/sdk';

export class Weather extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';
  requiredSecret = ['OPENWEATHER_KEY'];

  today = skill({ input: z.object({ city: z.string() }) }, async (ctx, { city }) => ({ city, key: ctx.secret('OPENWEATHER_KEY') }));
}
`,
    /^agent\.ts:7:3: requiredSecret: .*did you mean requiredSecrets\?/,
  ),
  typescript(
    'two methods whose names are misspelt',
    `import { Agent, skill, z } from '@svc/sdk';

export class Weather extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';

  today = skill({ stream: true, input: z.object({ city: z.string() }) }, async (ctx, { city }) => {
    await ctx.emitProgres('looking');
    return city.toUppercase();
  });
}
`,
    /^agent\.ts:9:15: .*'emitProgres' does not exist.*Did you mean 'emitProgress'\?/,
    /^agent\.ts:10:17: .*'toUppercase' does not exist.*Did you mean 'toUpperCase'\?/,
  ),
  typescript(
    'a result that is not what its output says',
    `import { Agent, skill, z } from '@svc/sdk';

export class Weather extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';

  today = skill(
    { input: z.object({ city: z.string() }), output: z.object({ degrees: z.number() }) },
    async (_ctx, { city }) => ({ degree: city.length }),
  );
}
`,
    /^agent\.ts:10:\d+: .*degree.*output/,
  ),
  typescript(
    'two agents, and neither has the name that svc.yaml says',
    `import { Agent, skill } from '@svc/sdk';

export class Sunny extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';
  today = skill({}, async () => 'sun');
}

export default class Rainy extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';
  today = skill({}, async () => 'rain');
}
`,
    /^svc\.yaml:3:\d+: .*agent\.ts has no Weather.*Sunny.*entrypoint: agent:Sunny/,
  ),
  typescript(
    'options of a skill and of the agent that do not exist or are of another kind',
    `import { Agent, skill } from '@svc/sdk';

export class Weather extends Agent {
  name = 'weather';
  description = 'Tells the weather';
  version = '0.1.0';
  resources = { memory: '512Mi', timeout: 30 };

  today = skill({ descripton: 'Tells it', timeoutSeconds: '30' }, async () => 'sun');
}
`,
    /^agent\.ts:7:\d+: resources.timeout: .*maxRuntimeSeconds/,
    /^agent\.ts:9:\d+: .*descripton.*description/,
  ),
  python(
    'a setting in the singular, and a text where a tuple is meant',
    `from svc import Agent, RunContext, skill


class Weather(Agent):
    name = "weather"
    description = "Tells the weather"
    version = "0.1.0"
    required_secret = "OPENWEATHER_KEY"

    @skill(description="Today")
    async def today(self, ctx: RunContext, city: str) -> str:
        return city + ctx.secret("OPENWEATHER_KEY")
`,
    /^agent\.py:8:5: required_secret: .*did you mean required_secrets\?/,
  ),
  python(
    'a resolver that is a text, under a name that does not exist',
    `from svc import Agent, RunContext, skill


class Weather(Agent):
    name = "weather"
    description = "Tells the weather"
    version = "0.1.0"
    auth_resolvers = "oops"

    @skill(description="Today")
    async def today(self, ctx: RunContext, city: str) -> str:
        return city
`,
    /^agent\.py:8:5: auth_resolvers: .*did you mean auth_resolver\?/,
  ),
  python(
    'results that are not what their annotations say',
    `from pydantic import BaseModel
from svc import Agent, RunContext, skill


class Report(BaseModel):
    degrees: float


class Weather(Agent):
    name = "weather"
    description = "Tells the weather"
    version = "0.1.0"

    @skill(description="Today")
    async def today(self, ctx: RunContext, city: str) -> int:
        return f"{len(city)} degrees"

    @skill(description="Tomorrow")
    async def tomorrow(self, ctx: RunContext, city: str) -> Report:
        return {"degrees": len(city)}
`,
    /^agent\.py:16:9: today: .*int/,
    /^agent\.py:20:9: tomorrow: .*Report\(/,
  ),
  python(
    'a class that does not extend Agent',
    `from svc import RunContext, skill


class Weather:
    name = "weather"
    description = "Tells the weather"
    version = "0.1.0"

    @skill(description="Today")
    async def today(self, ctx: RunContext, city: str) -> str:
        return city
`,
    /^agent\.py:4:1: Weather does not extend Agent: write "class Weather\(Agent\):"/,
  ),
  python(
    'an option of a skill that is misspelt',
    `from svc import Agent, RunContext, skill


class Weather(Agent):
    name = "weather"
    description = "Tells the weather"
    version = "0.1.0"

    @skill(descripton="Today")
    async def today(self, ctx: RunContext, city: str) -> str:
        return city
`,
    /^agent\.py:9:\d+: .*descripton.*did you mean description\?/,
  ),
];
