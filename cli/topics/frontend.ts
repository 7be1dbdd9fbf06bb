// The packed frontend of the project in a folder.
import { customCommand } from '../lib/command.ts';
import { projectOption } from '../lib/options.ts';

export const commands = [
  customCommand('frontend build', {
    local: true,
    about: 'build the packed frontend declared in svc.yaml',
    details:
      'Installs its packages when they are missing, runs its build command and checks that dist/index.html is there. A deploy does the same in a machine of the platform.',
    examples: [['The project in this folder', 'svc frontend build']],
    options: () => ({ project: projectOption() }),
    run: async ({ project }, { context }) => {
      const [{ readProject }, { buildFrontend }] = await Promise.all([import('../project/read.ts'), import('../project/frontend.ts')]);
      return buildFrontend(await readProject(project), context.stderr);
    },
    lines: ({ dist }) => [dist],
  }),
  customCommand('frontend info', {
    local: true,
    about: 'print the resolved packed-frontend config as JSON',
    examples: [['Where it is served', 'svc frontend info | jq -r .mount']],
    options: () => ({ project: projectOption() }),
    aboutJson: 'print JSON, as it always does',
    run: async ({ project }) => {
      const [{ readProject }, { checkBuilt, frontendOf }] = await Promise.all([import('../project/read.ts'), import('../project/frontend.ts')]);
      const frontend = frontendOf(await readProject(project));
      const built = await checkBuilt(frontend).then(
        () => true,
        () => false,
      );
      return { ...frontend, built };
    },
    lines: (shown) => [JSON.stringify(shown, null, 2)],
  }),
];
