// The platform's cookies. `__Host-`: only over https or loopback, only this host, the whole site.

export const SESSION_COOKIE = '__Host-svc_session';
/** Ties a sign-in to the browser that began it. */
export const LOGIN_COOKIE = '__Host-svc_login';
export const CLI_CONFIRM_COOKIE = '__Host-svc_cli_confirm';
