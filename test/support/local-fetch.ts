// fetch for `<agent>.localhost`: browsers and curl know that such names mean this machine, the C library
// under Node does not.
import { Agent, fetch as undiciFetch } from 'undici';

const here = new Agent({ connect: { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) } });

/** As the global fetch; the host name stays in the Host header. */
export const localFetch: typeof fetch = (input, init) => asFetch(undiciFetch)(input, Object.assign({}, init, { dispatcher: here }));

// Safe: Node's own fetch is this function, from another release of the same package.
function asFetch(own: typeof undiciFetch): typeof fetch {
  return own as unknown as typeof fetch;
}
