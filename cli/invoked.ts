// Messages name the tool `svc`; for a person who runs it through npx they say `npx svc`.

const OWN_COMMAND =
  /(?<!npx )\bsvc (?=(?:login|init|validate|run|deploy|call|logs|runs|answer|cancel|use|agents|receipt|secrets|tokens|links|status|open|models|setup|schedules|chat|help|files|describe|delete|rollback|token|test|unuse|frontend|compile|completion|whoami|signup|logout|build|import|auth|openapi|dev|ssh|domains|review|upgrade|clone|git-credential|compose|mailbox|COMMAND)\b)/g;

export function asInvoked(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const byNpx = env.npm_command === 'exec' && env.npm_lifecycle_event === 'npx';
  return byNpx ? text.replace(OWN_COMMAND, 'npx svc ') : text;
}
