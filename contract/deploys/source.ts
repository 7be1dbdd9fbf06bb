// The source of an agent: a git repository that its owner clones, pushes to and edits.
import { z } from 'zod';
import { group } from '../kit.ts';
import { AgentParams, Instant } from '../shared.ts';
import { AgentName } from '../wire/names.ts';

/** What a push to it deploys. */
export const DEFAULT_BRANCH = 'main';

export const CommitId = z.string().regex(/^[0-9a-f]{40}$/, 'is not the full id of a commit: 40 hexadecimal digits');

const repository = {
  repository: z.string().meta({ description: 'The owner and the agent, as `usr_…/greeter`.' }),
  default_branch: z.string().meta({ description: 'What a push to it deploys.' }),
  clone_url: z.string().meta({ description: 'For git over HTTP. Its password is a source token: `svc git-credential` gives one to git.' }),
};

export const AgentFromSourceOut = z
  .strictObject({
    name: AgentName,
    url: z.string().meta({ description: "The agent's own address, once it is live." }),
    ...repository,
    clone_command: z.string().meta({ description: 'For a shell where svc is signed in.' }),
  })
  .meta({ id: 'AgentFromSourceOut' });

export const AgentSourceOut = z
  .strictObject({
    name: z.string(),
    ...repository,
    head: z.string().nullable().meta({ description: 'The newest commit of the default branch; null: nothing was pushed or deployed.' }),
    live_commit: z.string().nullable().meta({ description: 'Commit of the live deployment.' }),
    files: z
      .strictObject({
        count: z.int().min(0),
        bytes: z.int().min(0),
        top_level: z.array(z.string()).meta({ description: 'Names at the top of the project, at most 200; folders end with "/".' }),
      })
      .meta({ description: 'Files of the head.' }),
    code_editor: z.boolean().meta({ description: 'The code editor is switched on.' }),
  })
  .meta({ id: 'AgentSourceOut' });

export const AgentCodeEditorOut = z
  .strictObject({
    enabled: z.boolean(),
    available: z.boolean().meta({ description: 'Source hosting answers.' }),
    default_branch: z.string(),
    head: z.string().nullable().meta({ description: 'null: there is no commit yet, or source hosting does not answer.' }),
    token: z.string().nullable().meta({
      description: 'Opens the addresses below, as `Authorization: Bearer`, and the repository over git, for 15 minutes. null unless enabled and available.',
    }),
    expires_at: Instant.nullable(),
    files_url: z.string().meta({ description: 'GET lists the files; with `/` and a path it reads one.' }),
    commits_url: z.string().meta({ description: 'POST saves files as one commit.' }),
    deploys_url: z.string().meta({ description: 'POST deploys a commit.' }),
  })
  .meta({ id: 'AgentCodeEditorOut' });

export const agentSource = group({
  source: {
    at: 'GET /v1/agents/{name}/source',
    summary: "The agent's repository: its address, its head, what is in it",
    scope: 'authenticated',
    params: AgentParams,
    out: AgentSourceOut,
    errors: [401, 403, 404, 502],
  },
  codeEditor: {
    at: 'GET /v1/agents/{name}/code-editor',
    summary: 'Whether the code editor is on, and a short-lived token for it',
    description: 'Each answer has a new token, which opens this one repository. Switching the editor off ends them all.',
    scope: 'authenticated',
    params: AgentParams,
    out: AgentCodeEditorOut,
    errors: [401, 403, 404],
  },
});
