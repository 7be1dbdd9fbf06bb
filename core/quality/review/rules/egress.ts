// Where the agent may send data, against where its code sends it.
import { code, locateInCode } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

const DECLARED = /allow_?hosts|deny_?internet_?by_?default|egress/i;
/** `*.com`, `*.co.uk`: anyone can register a name below. */
const TOO_WIDE =
  /^\*$|^\*\.(?:[a-z]{2,63}|(?:co|com|org|net|ac|gov)\.[a-z]{2}|(?:github|gitlab)\.io|(?:vercel|netlify|pages|workers|web)\.(?:app|dev)|(?:amazonaws|cloudfront|herokuapp|appspot|azurewebsites)\.(?:com|net))$/i;

export const unboundedEgress: ReviewRule = {
  id: 'unbounded-egress',
  *find(project) {
    const { egress } = project.card.runtime;
    const place = locateInCode(project, DECLARED);
    if (!egress.deny_internet_by_default) {
      const message = 'The agent may reach every host on the internet: what it reads can be sent anywhere. Name the hosts it needs in allow_hosts';
      yield { ...place, severity: 'warning', title: 'Unbounded egress', message };
    }
    for (const host of egress.allow_hosts.filter((one) => TOO_WIDE.test(one))) {
      const message = `allow_hosts has ${host}, under which anyone can register a host: name the hosts themselves`;
      yield { ...place, severity: 'warning', title: 'Egress to hosts of anybody', message };
    }
  },
};

const CALL = /\b(?:fetch|axios(?:\.\w+)?|got(?:\.\w+)?|requests\.\w+|httpx\.\w+|urlopen|http\.Get|reqwest::get)\s*\(\s*(?:f|r)?["'`]https?:\/\/([a-z0-9.-]+)/i;

function allows(hosts: readonly string[], host: string): boolean {
  return hosts.some((one) => one === '*' || one === host || (one.startsWith('*.') && host.endsWith(one.slice(1))));
}

export const refusedEgress: ReviewRule = {
  id: 'refused-egress',
  *find(project) {
    const { allow_hosts, deny_internet_by_default } = project.card.runtime.egress;
    if (!deny_internet_by_default) return;
    yield* perLine(code(project), (line) => {
      const host = CALL.exec(line)?.[1]?.toLowerCase();
      if (host === undefined || !host.includes('.') || allows(allow_hosts, host) || /(?:^|\.)(?:localhost|example\.\w+)$|^127\./.test(host)) return undefined;
      return {
        severity: 'warning',
        title: 'A call that is refused',
        message: `The code calls ${host}, which allow_hosts does not have: the call fails. Add the host, or remove the call`,
      };
    });
  },
};
