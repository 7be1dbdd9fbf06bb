// Code that gives a caller, or an attacker on the network path, more than its author intends.
import { code } from '../project.ts';
import { perLine, type ReviewRule } from '../rule.ts';

interface Risk {
  shape: RegExp;
  title: string;
  message: string;
}

const RISKS: readonly Risk[] = [
  {
    shape:
      /rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED['"\]]*\s*=\s*['"]?0|\bverify\s*=\s*False\b|InsecureSkipVerify\s*:\s*true|danger_accept_invalid_certs\s*\(\s*true|ssl\._create_unverified_context/,
    title: 'Certificates are not checked',
    message: 'An attacker on the network path can read and change all data, keys too: remove this, or give the authority that signed the certificate',
  },
  {
    shape: /(?:^|[^.\w])(?:eval|new Function)\s*\(\s*(?!["'`][^"'`$]*["'`]\s*\))[^)\s]|(?:^|[^.\w])exec\s*\(\s*(?:f["']|[a-z_]+\s*[,)])/,
    title: 'Text is run as code',
    message: 'What a caller sends can run here with the secrets of the agent: parse it instead, or run it in the sandbox (ctx.sandbox)',
  },
  {
    shape: /\b(?:execSync|exec)\s*\(\s*`[^`]*\$\{|\bos\.(?:system|popen)\s*\(\s*(?:f["']|[^"')]*[+%])|shell\s*=\s*True|shell\s*:\s*true/,
    title: 'A shell gets a text that was put together',
    message: 'An argument with a quote or ; runs as a command: pass the program and its arguments as a list, without a shell',
  },
  {
    shape:
      /\bconsole\.\w+\s*\([^)]*\bprocess\.env\s*[,)]|\bprint\s*\(\s*(?:dict\()?os\.environ\s*\)|\bconsole\.\w+\s*\([^)]*ctx\.secret\s*\(|\bprint\s*\([^)]*ctx\.secret\s*\(/,
    title: 'Secrets are written to the log',
    message: 'Logs are read by more people than secrets are meant for: log names, not values',
  },
];

export const riskyCode: ReviewRule = {
  id: 'risky-code',
  *find(project) {
    const isComment = /^\s*(?:\/\/|#|\*|\/\*)/;
    yield* perLine(code(project), (line) => {
      if (isComment.test(line)) return undefined;
      const risk = RISKS.find(({ shape }) => shape.test(line));
      return risk && { severity: 'warning', title: risk.title, message: risk.message };
    });
  },
};
