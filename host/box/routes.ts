// The host's control interface for dev boxes. Shapes are in drivers/box/port.ts.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AgentName } from '#contract/wire/names.ts';
import { BoxOpen } from '#drivers/box/port.ts';
import { parseJson } from '#drivers/runtime/lines.ts';
import { SandboxError } from '#drivers/sandbox/port.ts';
import { SandboxId } from '#drivers/sandbox/wire.ts';
import { answerJson } from '../answers.ts';
import { chunksOf, refuseSandbox, valid, whole } from '../sandbox/routes.ts';
import type { Boxes } from './boxes.ts';

const maxBody = 16_384;
/** Of a repository that a box begins with. */
const maxBundle = 512 * 1_048_576;

export async function routeBox(boxes: Boxes, request: IncomingMessage, response: ServerResponse, log: (error: unknown) => void): Promise<void> {
  try {
    await answer(boxes, request, response);
  } catch (error) {
    refuseSandbox(request, response, error, log);
  }
}

async function answer(boxes: Boxes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://host');
  const [, given = '', verb = ''] = url.pathname.slice(1).split('/').map(decodeURIComponent);
  const id = (): string => valid(SandboxId, given);
  switch (`${request.method} ${verb}`) {
    case 'POST ':
      return answerJson(response, 200, await boxes.open(valid(BoxOpen, parseJson((await whole(request, maxBody)).toString()))));
    case 'GET ':
      return answerJson(response, 200, boxes.list());
    case 'POST seed':
      await boxes.get(id()).seed(valid(AgentName, url.searchParams.get('name')), bounded(request));
      break;
    case 'POST sleep':
      await boxes.get(id()).sleep();
      break;
    case 'POST stop':
      await boxes.get(id()).stop();
      break;
    case 'POST remove':
      await boxes.remove(id());
      break;
    default:
      throw new SandboxError('not_found', `The runtime host has no ${request.method} ${url.pathname}.`);
  }
  answerJson(response, 200, { ok: true });
}

async function* bounded(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.length;
    if (size > maxBundle) throw new SandboxError('bad_request', `A repository of more than ${maxBundle / 1_048_576} MiB does not fit into a dev box.`);
    yield chunk;
  }
}
