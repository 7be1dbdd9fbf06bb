// The page on which a person makes a local account.
import { escapeHtml, layout } from './pages.ts';
import { MIN_PASSWORD } from './sign-up.ts';

export interface SignUpView {
  action: string;
  app: string;
  email: string;
  name: string;
  problem?: string | undefined;
}

export function signUpPage({ action, app, email, name, problem }: SignUpView): string {
  const wrong = problem === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(problem)}</p>`;
  return layout(
    'Create an account',
    `
    <h1>Create an account</h1>
    <p>to continue to ${escapeHtml(app)}</p>
    ${wrong}
    <form method="post" action="${escapeHtml(action)}">
      <input type="hidden" name="new" value="1">
      <label for="email">Email</label>
      <input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${escapeHtml(email)}"${email === '' ? ' autofocus' : ''}>
      <label for="name">Name</label>
      <input id="name" name="name" type="text" autocomplete="name" maxlength="100" value="${escapeHtml(name)}">
      <label for="password">Password, at least ${MIN_PASSWORD} characters</label>
      <input id="password" name="password" type="password" autocomplete="new-password" required minlength="${MIN_PASSWORD}" maxlength="1024"${email === '' ? '' : ' autofocus'}>
      <button type="submit">Create the account</button>
    </form>
    <p class="small">You have an account? <a href="${escapeHtml(action)}?new=0">Sign in</a></p>`,
  );
}
