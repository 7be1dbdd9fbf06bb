// Cases from public reports on comparable systems: what goes in, what is right, where it was found, and which
// tests prove it here. What is not right yet says so.

interface Proof {
  /** From the root of the repository. */
  file: string;
  /** The title of the test as its source has it, or the name of its function. */
  test: string;
}

export interface OutsideCase {
  id: string;
  input: string;
  right: string;
  /** Public issues of others: `owner/repository#number`. */
  from: readonly string[];
  proofs: readonly Proof[];
  /** What is not right yet, or is not tried; absent: nothing. */
  open?: string;
}

const HERE = 'test/outside-cases';
const proof = (file: string, ...tests: string[]): Proof[] => tests.map((test) => ({ file, test }));

export const CASES: readonly OutsideCase[] = [
  {
    id: 'C1',
    input: 'schedules in steps of minutes or hours over the autumn change of clocks, in several zones',
    right: 'every local time that exists runs at least once, an unambiguous one exactly once',
    from: ['temporalio/temporal#8205', 'Hexagon/croner#286', 'node-cron/node-cron#492', 'librefang/librefang#3831', 'harrisiirak/cron-parser#446'],
    proofs: [
      ...proof(
        'contract/conversation/due-times.test.ts',
        'loses no time that exists',
        'keeps a schedule for every hour even: nothing is put in, nothing left out',
      ),
      ...proof('core/conversation/schedule/plan.test.ts', '%s in %s: the calendars name exactly its times, in few entries'),
    ],
  },
  {
    id: 'C2',
    input: 'a job at a fixed time that the clocks skip in spring and repeat in autumn, west and east of Greenwich',
    right: 'once on each day: at the first pass, or at the first minute after a skipped time; otherwise only by a setting, which the preview names',
    from: ['temporalio/temporal#8205', 'robfig/cron#541', 'Steve-Mcl/node-red-contrib-cron-plus#131', 'zslayton/cron#150'],
    proofs: [
      ...proof(
        'contract/conversation/due-times.test.ts',
        '%s in %s: what is skipped runs at the first minute after, once',
        'runs what comes twice once, at the first, or both times where that is wanted',
      ),
      ...proof('contract/conversation/clock-note.test.ts', 'says what becomes of each time'),
    ],
  },
  {
    id: 'C3',
    input: 'initialize at an MCP endpoint with Accept */*, none, only JSON, only an event stream, both in either order',
    right: 'what means "anything" is served, a client of only JSON gets JSON, and only who excludes both gets 406',
    from: ['honojs/middleware#1799', 'arabold/docs-mcp-server#349'],
    proofs: [],
    open: 'the endpoint answers 406 where Accept does not name both types',
  },
  {
    id: 'C4',
    input: 'addresses of agents with a slash too many: /mcp/, /a2a/, /invoke/skill/, //invoke/skill, and an OAuth resource that ends in one',
    right: 'served in place without a redirect; a resource with the slash is the same resource',
    from: ['BerriAI/litellm#20498', 'wmde/WikidataMCP#3', 'PrefectHQ/fastmcp#2277', 'trycua/cua#883', 'modelcontextprotocol/python-sdk#1400'],
    proofs: [],
    open: 'such addresses are answered with 404',
  },
  {
    id: 'C5',
    input: 'preflights of MCP and A2A clients that run in pages of other origins',
    right: 'allowed where a bearer token is the only authority and the owner allows the origin; cookies stay refused',
    from: ['netdata/netdata#22258', 'hauptsacheNet/typo3-mcp-server#116', 'agentgateway/website#82'],
    proofs: [],
    open: 'pages of other origins cannot call agents',
  },
  {
    id: 'C6',
    input: 'identity providers whose access tokens are typed JWT or not at all, whose issuer ends in a slash or not, or whose document names another issuer',
    right: 'the first two sign in; the last is named as what it is, and not as an outage',
    from: [
      'keycloak/keycloak#34146',
      'spring-projects/spring-security#13185',
      'reshaprio/reshapr#376',
      'onetimesecret/onetimesecret#4513',
      'Freika/dawarich#2925',
    ],
    proofs: proof(
      'drivers/idp/providers.test.ts',
      'an access token of %s is taken, under both forms of the issuer',
      'an issuer that calls itself otherwise is said to, and is not away',
      'an ID token is not, though it is for the client',
    ),
  },
  {
    id: 'C7',
    input: 'email_verified as text, as a number, or only xms_edov of Entra',
    right: '"true" signs in, "false" is refused as false is, and an operator of Entra becomes one',
    from: ['toeverything/AFFiNE#14609', 'pocketbase/pocketbase#6657', 'zitadel/oidc#137'],
    proofs: proof('drivers/idp/providers.test.ts', 'email_verified as %j', 'an access token of %s is taken, under both forms of the issuer'),
  },
  {
    id: 'C8',
    input: 'request bodies in gzip and zstd, to agents, to the API and to the model gateway, and one that unpacks to a gigabyte',
    right: 'decoded up to a bound, or 415 with Accept-Encoding',
    from: ['QuantumNous/new-api#4914', 'decolua/9router#2669', 'HarperFast/harper#1438'],
    proofs: [],
    open: 'only exported traces may be compressed',
  },
  {
    id: 'C9',
    input: 'HEAD on the dashboard, and GET / with Accept */*',
    right: 'HEAD answers as GET does, and */* gets the page',
    from: ['CoreBunch/Instatic#306', 'thomiceli/opengist#773'],
    proofs: proof('api/http/dashboard.test.ts', 'HEAD answers as GET does, and who takes anything gets the first page'),
  },
  {
    id: 'C10',
    input: 'a comment as a heartbeat between events, read by clients in Python',
    right: 'no client takes it for an event',
    from: ['theopenco/llmgateway#2334', 'openai/openai-python#2722', 'a2aproject/a2a-python#540', 'a2aproject/a2a-go#99'],
    proofs: [],
    open: 'an empty line follows each comment, which some clients take for an empty event',
  },
  {
    id: 'C11',
    input: 'integers beyond 2^53 as arguments, results, ids and messages, on every way in',
    right: 'the same digits, or a refusal that says why; never another number',
    from: ['earendil-works/pi#8943', 'modelcontextprotocol/go-sdk#1236', 'anthropics/claude-code#78762'],
    proofs: [
      ...proof(
        'test/attacks/numbers.test.ts',
        'an argument %s is refused with its reason, over the API and at the address of the agent, and the agent is not asked',
        'the greatest exact ones arrive digit by digit',
        'an agent that answers with one fails, whole or streamed: no receipt hashes what it did not say',
      ),
      ...proof('sdk/typescript/sidecar/sidecar.test.ts', 'a result with %s, which would arrive as another number, is the error of its run'),
    ],
  },
  {
    id: 'C12',
    input: 'values that begin with a minus at the command line',
    right: 'taken as the value, or an error that names --',
    from: ['pallets/click#1624', 'mdub/clamp#91'],
    proofs: proof(`${HERE}/c12-leading-minus.test.ts`, '%j: the error says how it is written', 'written so, it is the value'),
  },
  {
    id: 'C13',
    input: 'signing in over plain http at the address of a machine in a local network',
    right: 'pages and start-up say that https is needed; never a silent loop',
    from: ['n8n-io/n8n#8853', 'n8n-io/n8n#34955', 'ollioddi/crowdsec-local-dashboard#57'],
    proofs: proof(
      'test/dashboard/plain-http.parts.test.ts',
      '%s says why nobody can sign in, and what to do',
      'a link that begins a sign-in ends at the sentence, and sets no cookie',
    ),
  },
  {
    id: 'C14',
    input: 'PostgreSQL behind a pooler that shares connections between transactions',
    right: 'refused at start with the reason, or a second address for what needs a connection of its own',
    from: ['zoolutions/pgbus#191', 'zoolutions/pgbus#236', 'keycloak/keycloak#49991', 'brianc/node-postgres#1543'],
    proofs: [],
    open: 'belongs to installations on several hosts, which are not served yet',
  },
  {
    id: 'C15',
    input: 'several questions at once, answered out of order, in agents of LangGraph, Mastra and our own',
    right: 'each gets its own answer, and what ran before runs once',
    from: ['langchain-ai/langgraph#8579', 'langchain-ai/langgraph#6624', 'langchain-ai/langgraph#6626', 'mastra-ai/mastra#6418', 'mastra-ai/mastra#9288'],
    proofs: [
      ...proof('sdk/python/tests/adapters/test_langgraph.py', 'test_interrupts_are_asked_whole_and_at_once_and_answered_in_any_order'),
      ...proof('sdk/typescript/adapters/langgraph.parts.test.ts', 'two interrupts at a time get each its own answer'),
      ...proof(
        'sdk/typescript/adapters/report.test.ts',
        'asks for all at once, as many as a run may have open, and gives the answers in order',
        'asks for every step of a workflow that waits, and resumes each once, as its answer comes',
      ),
    ],
  },
  {
    id: 'C16',
    input: 'an approval answered with {}, null, "false", 0 or nothing, and arguments that are longer than a card',
    right: 'only an explicit yes runs the tool, and what runs is what was shown',
    from: ['pydantic/pydantic-ai#8060', 'pydantic/pydantic-ai#6968'],
    proofs: [
      ...proof('sdk/typescript/adapters/report.test.ts', 'shows the arguments of a call whole, as the framework has them, with the hash of what is shown'),
      ...proof('sdk/python/tests/adapters/test_pydantic_ai.py', 'test_an_approval_is_a_form_and_the_tool_runs_once'),
    ],
    open: 'answers of other shapes than the form has are not tried with each framework',
  },
  {
    id: 'C17',
    input: 'a chat in which an approval is pending: another message, then a denial, then the page is loaded again',
    right: 'the message is answered, the denied call is shown as denied, and the model hears it',
    from: ['vercel/ai#12709', 'vercel/ai#17136', 'cloudflare/agents#955'],
    proofs: [
      ...proof(
        `${HERE}/c17-pending-approval.parts.test.ts`,
        'another message is answered while an approval is pending; the denied one is shown as denied, also after the page was loaded again',
      ),
      ...proof('core/pauses/decision/resolve.test.ts', 'the thread of a framework’s approval says what its answer means'),
      ...proof('sdk/typescript/adapters/test/suite.ts', 'what is declined does not run'),
    ],
  },
  {
    id: 'C18',
    input: 'a calls b, b calls c, and c asks',
    right: 'the question reaches who called a, with the name of c; the answer resumes all three, and cancelling a withdraws it',
    from: ['kagent-dev/kagent#1475', 'microsoft/agent-framework#6062'],
    proofs: proof(
      'core/runs/durable/nested-waits.parts.test.ts',
      'the question of a called agent is nobody else’s to read or to answer',
      'cancelling the root withdraws the question, and a late answer is refused',
    ),
  },
  {
    id: 'C19',
    input: 'an approval that was decided in another tab, has expired, or lost its run, on an open page and by the link of a mail',
    right: 'one decision; the page says who decided what and when, shows no buttons, and the next step',
    from: ['librefang/librefang#1797', 'sseshachala/conductai#1672', 'black-candle-technologies/lumen#13'],
    proofs: [
      ...proof(
        `${HERE}/c19-stale-buttons.parts.test.ts`,
        'approved in one tab, denied in the other: one decision, and the other tab says whose it is and since when',
        'one that has %s shows no buttons and what to do next, on a page that was open, at a late click and by the link of a mail',
      ),
      ...proof('core/pauses/inbox/inbox.test.ts', 'one is read after its end, too: who decided what and when; nobody else reads it'),
    ],
  },
  {
    id: 'C20',
    input: 'results, arguments and questions of several megabytes in durable runs',
    right: 'stored and delivered, or one clear error with the size and the limit within seconds',
    from: ['pydantic/pydantic-ai#7157', 'growthxai/output#224'],
    proofs: proof('core/runs/call/once.parts.test.ts', 'five megabytes of arguments and of a result pass every way; above the limit the refusal names it'),
    open: 'questions of several megabytes are not tried',
  },
  {
    id: 'C21',
    input: 'skills whose input is a union, a tree, a tuple, or has properties named __proto__, $ref and default',
    right: 'every client reads the schema, and forms render one level at a time',
    from: ['modelcontextprotocol/typescript-sdk#1643', 'opentokenz/mcpx#28', 'mastra-ai/mastra#18255', 'anthropics/claude-code#77106', 'colinhacks/zod#6346'],
    proofs: proof('core/studio/review-loop/attack/cases.test.ts', 'a name of __proto__ is an own member of the arguments and poisons nothing'),
    open: 'forms of such skills, and the converters of other clients, are not tried',
  },
  {
    id: 'C22',
    input: 'a description with a tree, one name in path, query and body, nullable references, names that differ in a hyphen, deepObject, files and 204',
    right: 'each value arrives where it belongs, names are unique and short, and what was left out is said',
    from: ['PrefectHQ/fastmcp#1016', 'PrefectHQ/fastmcp#3242', 'PrefectHQ/fastmcp#5112', 'tadata-org/fastapi_mcp#319', 'wso2/api-manager#5189'],
    proofs: proof(`${HERE}/c22-openapi-calls.test.ts`, 'OpenAPI %s: each value arrives where it belongs', 'what was left out is said'),
  },
  {
    id: 'C23',
    input: 'streams through the model gateway with every line end, without a last empty line, with comments',
    right: 'metered and passed on as they come',
    from: ['praxis-proxy/praxis#739', 'a2aproject/a2a-js#714', 'theopenco/llmgateway#2981', 'BerriAI/litellm#7621', 'mnfst/llm-gateway#2053'],
    proofs: proof(
      'test/attacks/model-streams.test.ts',
      '%s: each word is counted, and the usage that the caller did not ask for is not shown',
      'an event that ends with %j is there before the next one comes',
    ),
  },
  {
    id: 'C23b',
    input: 'one long event in small pieces',
    right: 'each piece costs the same, however much came before',
    from: ['theopenco/llmgateway#2981', 'openai/openai-node#2324', 'rexxars/eventsource-parser#28', 'Recouse/EventSource#49'],
    proofs: [
      ...proof('contract/wire/event-stream.test.ts', 'joins an event that comes in small pieces once: each piece costs the same, however much came before'),
      ...proof('test/attacks/model-streams.test.ts', 'one event in a hundred thousand pieces holds nobody up, and an event without an end is refused'),
    ],
  },
  {
    id: 'C25',
    input: 'SCIM as Entra sends it: names with dots, managers as text, roles, values for people without one, numbers and booleans as text',
    right: 'stored under its attribute, and nothing becomes an attribute with a dot in its name',
    from: ['ssoready/ssoready#228', 'ssoready/ssoready#249', 'ssoready/ssoready#167', 'pingidentity/scim2#239', 'scimmyjs/scimmy#51'],
    proofs: proof('test/protocols/scim/entra.json', 'changes attributes as the newer job does, names with dots and URNs without a path', 'changes the manager'),
    open: 'roles, custom extensions, and the rest of a request with one unknown attribute',
  },
  {
    id: 'C26',
    input: 'ignore files with * and exceptions, nested ones, links out of the project, a byte order mark',
    right: 'the files that git would keep; links are named and never followed',
    from: ['vercel/vercel#456', 'convox/rack#2253', 'vercel/vercel#16439', 'microsoft/rushstack#2837', 'ilbertt/nibrun#513', 'runvendo/vendo#1078'],
    proofs: [
      ...proof('cli/deploy/ignored.test.ts', 'random folders with nested ignore files are read as git reads them'),
      ...proof('cli/deploy/pack.test.ts', 'links are named and left out: nothing from outside the project is uploaded'),
    ],
    open: 'a byte order mark in svc.yaml and package.json, and names with line breaks, are not tried',
  },
  {
    id: 'C27',
    input: 'mail with long Japanese subjects, ISO-2022-JP, folded and bare Message-IDs, 3 KB of References, a name from right to left, only an attachment',
    right: 'one thread, one subject with one Re:, and nothing garbled',
    from: ['ohdearquant/khive#3022', 'ohdearquant/khive#3024', 'nextcloud/mail#12558', 'djcb/mu#2914', 'DockYard/elixir-mail#203'],
    proofs: proof(
      `${HERE}/c27-mail-threads.test.ts`,
      'five answers keep one thread and one subject, cut after %s',
      'a mail that is an answer already gets no second Re:',
      'an answer whose In-Reply-To has no brackets, and one with 3 KB of References, belong to their conversation',
      'a body in ISO-2022-JP is text, and a mail without one brings its file',
    ),
  },
  {
    id: 'C28',
    input: 'event streams one byte at a time, with every line end, several data lines, events without data, and cut inside of a character',
    right: 'the same text for every reader, and a stream that was cut is called cut',
    from: ['api7/aisix#111', 'mastra-ai/mastra#20224', 'a2aproject/a2a-js#714', 'praxis-proxy/praxis#739'],
    proofs: [
      ...proof(
        `${HERE}/c28-event-streams.test.ts`,
        'hears the same with %j, one byte at a time',
        'hears a line of a megabyte in small pieces',
        'calls a stream cut that %s inside of a character',
        'the dashboard hears each event once, and goes on after the last whole one when the stream was cut inside of a character',
      ),
      ...proof('sdk/python/tests/test_http.py', 'test_events_are_read_however_they_are_cut_with_every_line_end'),
    ],
  },
  {
    id: 'C29',
    input: 'events of Stripe out of order, twice at once, with two signatures, of unknown types, and signed six minutes off',
    right: 'what has ended stays so, one effect each, either signature holds, unknown types get 200, and a clock that is off is named',
    from: ['decocms/studio#5156', 'managoat/fountain#158', 'wasp-lang/open-saas#688'],
    proofs: proof(
      `${HERE}/c29-payment-events.test.ts`,
      'a subscription that has ended stays so when an older event says active; its period is read from its items',
      'one event twice at once has one effect',
      'while a secret is rotated a header has two signatures: the second one holds as the first does',
      'a type that nobody knows is answered with 200 and changes nothing',
      'an event that is six minutes %s is refused, and the answer says why',
    ),
  },
  {
    id: 'C30',
    input: 'git over HTTP: pushes of megabytes, hundreds of tags, shallow clones, wrong tokens, names with umlauts, rewritten history',
    right: 'each works, and a wrong token is asked for again',
    from: ['block/buzz#4401', 'block/buzz#2670'],
    proofs: [
      ...proof(
        `${HERE}/c30-git.parts.test.ts`,
        'five megabytes arrive, in one body and in the smallest pieces that git sends',
        'a branch beyond ASCII, and history that was rewritten',
        'hundreds of tags arrive in parts, are fetched at once by a request that git compresses, and a clone may be shallow',
        'a wrong token is asked for again at the first bytes, and nothing hangs',
      ),
      ...proof(
        'drivers/scm/smart-http.parts.test.ts',
        'rewrites history with --force, deletes other branches, moves tags, and cannot delete main',
        'may be shallow or leave contents out',
      ),
      ...proof('api/routes/deploys/source.parts.test.ts', 'git asks for its credentials first, and says why it was refused'),
    ],
  },
];
