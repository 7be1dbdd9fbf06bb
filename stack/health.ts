// Asks a part over HTTP whether it is well.
import { request, type RequestOptions } from 'node:http';

/** Rejects with a short reason unless the answer is 2xx within three seconds. */
export function answersHttp(target: { port: number; path: string } | { socketPath: string; path: string }): Promise<void> {
  const options: RequestOptions = { ...target, host: '127.0.0.1', agent: false, timeout: 3_000 };
  return new Promise((resolve, reject) => {
    const call = request(options, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve();
      else reject(new Error(`${target.path} answers ${statusCode}`));
    });
    call.once('timeout', () => call.destroy(new Error(`${target.path} does not answer within 3 s`)));
    call.once('error', reject);
    call.end();
  });
}
