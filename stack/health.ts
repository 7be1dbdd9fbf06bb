// Asks a part over HTTP whether it is well.
import { type IncomingMessage, request, type RequestOptions } from 'node:http';
import { json } from 'node:stream/consumers';

type Target = { port: number; path: string } | { socketPath: string; path: string };

/** Rejects with a short reason unless the answer is 2xx within three seconds. */
export const answersHttp = async (target: Target): Promise<void> => void (await answerOf(target)).resume();

/** The JSON of such an answer. */
export const answeredJson = async (target: Target): Promise<unknown> => json(await answerOf(target));

function answerOf(target: Target): Promise<IncomingMessage> {
  const options: RequestOptions = { ...target, host: '127.0.0.1', agent: false, timeout: 3_000 };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) return resolve(response);
      response.resume();
      reject(new Error(`${target.path} answers ${statusCode}`));
    });
    call.once('timeout', () => call.destroy(new Error(`${target.path} does not answer within 3 s`)));
    call.once('error', reject);
    call.end();
  });
}
