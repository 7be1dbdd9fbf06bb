// Written by `npm run contract` from contract/beside.ts. Do not edit.
import type { RouteTable } from './route-table.ts';

export const BESIDE_ROUTES: RouteTable = {
  accountEvents: {
    stream: { at: 'GET /v1/me/events', out: 'event-stream' },
  },
  agentUptime: {
    get: { at: 'GET /v1/agents/{name}/uptime', out: 'json' },
  },
  allowedOrigins: {
    get: { at: 'GET /v1/agents/{name}/allowed-origins', out: 'json' },
    set: { at: 'PUT /v1/agents/{name}/allowed-origins', body: 'json', out: 'json' },
  },
  approvals: {
    policy: { at: 'GET /v1/me/organizations/{slug}/approval-policy', out: 'json' },
    setPolicy: { at: 'PUT /v1/me/organizations/{slug}/approval-policy', body: 'json', out: 'json' },
    delegations: { at: 'GET /v1/me/organizations/{slug}/approval-delegations', out: 'json' },
    delegate: { at: 'POST /v1/me/organizations/{slug}/approval-delegations', body: 'json', out: 'json' },
    endDelegation: { at: 'DELETE /v1/me/organizations/{slug}/approval-delegations/{delegation_id}' },
  },
  brainChanges: {
    undo: { at: 'POST /v1/me/company-brain/changes/{change_id}/undo', out: 'json' },
  },
  callerScopes: {
    list: { at: 'GET /v1/agents/{name}/caller-scopes', out: 'json' },
    give: { at: 'POST /v1/agents/{name}/caller-scopes', body: 'json', out: 'json' },
    withdraw: { at: 'DELETE /v1/agents/{name}/caller-scopes/{account_id}' },
  },
  charges: {
    list: { at: 'GET /v1/me/charges', out: 'json' },
  },
  complianceExports: {
    list: { at: 'GET /v1/me/organizations/{slug}/compliance/exports', out: 'json' },
    get: { at: 'GET /v1/me/organizations/{slug}/compliance/exports/{export_id}', out: 'json' },
    cancel: { at: 'POST /v1/me/organizations/{slug}/compliance/exports/{export_id}/cancel', out: 'json' },
    file: { at: 'GET /v1/me/organizations/{slug}/compliance/exports/{export_id}/file', out: 'bytes' },
  },
  databaseParts: {
    remove: { at: 'DELETE /v1/me/databases/{project_id}' },
    createBranch: { at: 'POST /v1/me/databases/{project_id}/branches', body: 'json', out: 'json' },
    removeBranch: { at: 'DELETE /v1/me/databases/{project_id}/branches/{branch}' },
    bind: { at: 'POST /v1/me/databases/{project_id}/bindings', body: 'json', out: 'json' },
    unbind: { at: 'DELETE /v1/me/databases/{project_id}/bindings/{binding_id}' },
    rotate: { at: 'POST /v1/me/databases/{project_id}/rotations', body: 'json', out: 'json' },
    reveal: { at: 'POST /v1/me/databases/{project_id}/urls', body: 'json', out: 'json' },
    events: { at: 'GET /v1/me/databases/{project_id}/events', out: 'json' },
  },
  deploymentCards: {
    get: { at: 'GET /v1/agents/{name}/deployments/{deploy_id}/card', out: 'json' },
  },
  evaluations: {
    rules: { at: 'GET /v1/agents/{name}/evaluation/rules', out: 'json' },
    putRule: { at: 'PUT /v1/agents/{name}/evaluation/rules/{rule}', body: 'json', out: 'json' },
    deleteRule: { at: 'DELETE /v1/agents/{name}/evaluation/rules/{rule}' },
    summary: { at: 'GET /v1/agents/{name}/evaluation', out: 'json' },
    runScores: { at: 'GET /v1/agents/{name}/api/runs/{run_id}/scores', out: 'json' },
    putThumb: { at: 'PUT /v1/me/runs/{run_id}/thumb', body: 'json' },
    deleteThumb: { at: 'DELETE /v1/me/runs/{run_id}/thumb' },
    consents: { at: 'GET /v1/me/evaluation-consents', out: 'json' },
    consent: { at: 'PUT /v1/me/evaluation-consents/{agent}' },
    withdrawConsent: { at: 'DELETE /v1/me/evaluation-consents/{agent}' },
    datasets: { at: 'GET /v1/agents/{name}/datasets', out: 'json' },
    addItems: { at: 'POST /v1/agents/{name}/datasets/{dataset}/items', body: 'json', out: 'json' },
    items: { at: 'GET /v1/agents/{name}/datasets/{dataset}/items', out: 'json' },
    deleteItem: { at: 'DELETE /v1/agents/{name}/datasets/{dataset}/items/{item_id}' },
    deleteDataset: { at: 'DELETE /v1/agents/{name}/datasets/{dataset}' },
    evaluate: { at: 'POST /v1/agents/{name}/datasets/{dataset}/evaluations', out: 'json' },
    evaluations: { at: 'GET /v1/agents/{name}/evaluations', out: 'json' },
    evaluation: { at: 'GET /v1/agents/{name}/evaluations/{evaluation_id}', out: 'json' },
    cancelEvaluation: { at: 'POST /v1/agents/{name}/evaluations/{evaluation_id}/cancel', out: 'json' },
  },
  fileUploads: {
    create: { at: 'POST /v1/me/uploads', out: 'json' },
    list: { at: 'GET /v1/me/uploads', out: 'json' },
    get: { at: 'GET /v1/me/uploads/{upload_id}', out: 'json' },
    offset: { at: 'HEAD /v1/me/uploads/{upload_id}', out: 'bytes' },
    append: { at: 'PATCH /v1/me/uploads/{upload_id}', body: 'raw' },
    cancel: { at: 'DELETE /v1/me/uploads/{upload_id}' },
  },
  findings: {
    list: { at: 'GET /v1/agents/{name}/findings', out: 'json' },
    answer: { at: 'POST /v1/agents/{name}/findings/{finding_id}/answer', body: 'json', out: 'json' },
  },
  folders: {
    move: { at: 'POST /v1/me/folders/move', body: 'json', out: 'json' },
  },
  grantRevocation: {
    revoke: { at: 'DELETE /v1/me/grants/{grant_id}' },
  },
  inbox: {
    waits: { at: 'GET /v1/me/waits', out: 'json' },
    wait: { at: 'GET /v1/me/waits/{wait_id}', out: 'json' },
    notifications: { at: 'GET /v1/me/notifications', out: 'json' },
    setNotifications: { at: 'PUT /v1/me/notifications', body: 'json', out: 'json' },
  },
  installation: {
    get: { at: 'GET /v1/installation', out: 'json' },
  },
  machinery: {
    get: { at: 'GET /v1/operator/machinery', out: 'json' },
  },
  organizationSettings: {
    get: { at: 'GET /v1/me/organizations/{slug}', out: 'json' },
    update: { at: 'PATCH /v1/me/organizations/{slug}', body: 'json', out: 'json' },
    resend: { at: 'POST /v1/me/organizations/{slug}/members/{member_id}/resend', out: 'json' },
    exportAudit: { at: 'GET /v1/me/organizations/{slug}/audit-log/export', out: 'ndjson' },
    joinable: { at: 'GET /v1/me/organization-invitations', out: 'json' },
    join: { at: 'POST /v1/me/organization-invitations', body: 'json', out: 'json' },
    accept: { at: 'POST /v1/me/organization-invitations/accept', body: 'json', out: 'json' },
  },
  organizationSso: {
    get: { at: 'GET /v1/me/organizations/{slug}/sso', out: 'json' },
    put: { at: 'PUT /v1/me/organizations/{slug}/sso', body: 'json', out: 'json' },
    remove: { at: 'DELETE /v1/me/organizations/{slug}/sso' },
    require: { at: 'PUT /v1/me/organizations/{slug}/sso/required', body: 'json', out: 'json' },
    breakGlass: { at: 'POST /v1/me/organizations/{slug}/sso/break-glass' },
    link: { at: 'POST /v1/me/organizations/{slug}/sso/link', out: 'json' },
    unlink: { at: 'DELETE /v1/me/organizations/{slug}/sso/link' },
  },
  payoutStatements: {
    statement: { at: 'GET /v1/payouts/runs/{run_id}/statement', out: 'ndjson' },
    receipts: { at: 'GET /v1/payouts/runs/{run_id}/receipts', out: 'ndjson' },
  },
  plans: {
    list: { at: 'GET /v1/admin/plans', out: 'json' },
    put: { at: 'PUT /v1/admin/plans/{plan}', body: 'json', out: 'json' },
  },
  policyDenials: {
    list: { at: 'GET /v1/me/policy/denials', out: 'json' },
  },
  policyRules: {
    get: { at: 'GET /v1/me/policy/rules', out: 'json' },
    put: { at: 'PUT /v1/me/policy/rules', body: 'json', out: 'json' },
    test: { at: 'POST /v1/me/policy/test', body: 'json', out: 'json' },
    decisions: { at: 'GET /v1/me/policy/decisions', out: 'json' },
  },
  prices: {
    list: { at: 'GET /v1/agents/{name}/prices', out: 'json' },
    put: { at: 'PUT /v1/agents/{name}/prices/{skill}', body: 'json', out: 'json' },
    end: { at: 'DELETE /v1/agents/{name}/prices/{skill}' },
  },
  proofDetail: {
    get: { at: 'GET /v1/me/agent-proofs/{proof_id}', out: 'json' },
    withdraw: { at: 'POST /v1/me/agent-proofs/{proof_id}/withdraw', body: 'json', out: 'json' },
  },
  protocolRegistry: {
    entry: { at: 'GET /v1/agents/{name}/protocol-simulations/protocol-registry/{protocol_id}/{version}', out: 'json' },
    move: { at: 'POST /v1/agents/{name}/protocol-simulations/protocol-registry/{protocol_id}/{version}/moves', body: 'json', out: 'json' },
  },
  schedulePreviews: {
    show: { at: 'GET /v1/me/schedules/preview', out: 'json' },
  },
  scimBeside: {
    schema: { at: 'GET /v1/scim/{slug}/v2/Schemas/{schema}', out: 'json' },
    resourceType: { at: 'GET /v1/scim/{slug}/v2/ResourceTypes/{type}', out: 'json' },
    createGroup: { at: 'POST /v1/scim/{slug}/v2/Groups', body: 'json', out: 'json' },
    group: { at: 'GET /v1/scim/{slug}/v2/Groups/{group_id}', out: 'json' },
    replaceGroup: { at: 'PUT /v1/scim/{slug}/v2/Groups/{group_id}', body: 'json', out: 'json' },
    patchGroup: { at: 'PATCH /v1/scim/{slug}/v2/Groups/{group_id}', body: 'json', out: 'json' },
    deleteGroup: { at: 'DELETE /v1/scim/{slug}/v2/Groups/{group_id}' },
    search: { at: 'POST /v1/scim/{slug}/v2/.search', body: 'json', out: 'json' },
    searchUsers: { at: 'POST /v1/scim/{slug}/v2/Users/.search', body: 'json', out: 'json' },
    searchGroups: { at: 'POST /v1/scim/{slug}/v2/Groups/.search', body: 'json', out: 'json' },
    bulk: { at: 'POST /v1/scim/{slug}/v2/Bulk', body: 'json', out: 'json' },
  },
  scimSettings: {
    users: { at: 'GET /v1/me/organizations/{slug}/scim/users', out: 'json' },
    groups: { at: 'GET /v1/me/organizations/{slug}/scim/groups', out: 'json' },
    roles: { at: 'GET /v1/me/organizations/{slug}/scim/roles', out: 'json' },
    putRoles: { at: 'PUT /v1/me/organizations/{slug}/scim/roles', body: 'json', out: 'json' },
  },
  signIns: {
    list: { at: 'GET /v1/me/sign-ins', out: 'json' },
    end: { at: 'DELETE /v1/me/sign-ins/{sign_in_id}' },
    endOthers: { at: 'POST /v1/me/sign-ins/end-others', out: 'json' },
  },
  sourceEditor: {
    files: { at: 'GET /source/v1/agents/{name}/files', out: 'json' },
    file: { at: 'GET /source/v1/agents/{name}/files/{path:path}', out: 'json' },
    save: { at: 'POST /source/v1/agents/{name}/commits', body: 'json', out: 'json' },
    deploy: { at: 'POST /source/v1/agents/{name}/deploys', body: 'json', out: 'json' },
    createToken: { at: 'POST /source/v1/agents/{name}/tokens', body: 'json', out: 'json' },
  },
  sso: {
    start: { at: 'GET /v1/auth/sso/start', out: 'json' },
    callback: { at: 'GET /v1/auth/sso/callback/{slug}', out: 'json' },
    token: { at: 'POST /v1/auth/sso/token', body: 'json', out: 'json' },
  },
  studioGuests: {
    create: { at: 'POST /v1/public/studio/guest-runs', body: 'json', out: 'json' },
    get: { at: 'GET /v1/public/studio/guest-runs/{token}', out: 'json' },
  },
  studioRuns: {
    list: { at: 'GET /v1/me/studio-runs', out: 'json' },
  },
  testMoney: {
    checkout: { at: 'GET /v1/test-money/checkouts/{page_id}', out: 'json' },
    finishCheckout: { at: 'POST /v1/test-money/checkouts/{page_id}', body: 'json', out: 'json' },
    portal: { at: 'GET /v1/test-money/portals/{page_id}', out: 'json' },
    usePortal: { at: 'POST /v1/test-money/portals/{page_id}', body: 'json', out: 'json' },
    account: { at: 'GET /v1/test-money/accounts/{page_id}', out: 'json' },
    fillAccount: { at: 'POST /v1/test-money/accounts/{page_id}', body: 'json', out: 'json' },
  },
  topUps: {
    list: { at: 'GET /v1/credits/top-ups', out: 'json' },
  },
  traces: {
    ofAgent: { at: 'GET /v1/agents/{name}/api/runs/{run_id}/trace', out: 'json' },
    mine: { at: 'GET /v1/me/runs/{run_id}/trace', out: 'json' },
    input: { at: 'GET /v1/me/runs/{run_id}/input', out: 'json' },
  },
  workerBuilds: {
    list: { at: 'GET /v1/operator/worker-builds', out: 'json' },
    setCurrent: { at: 'PUT /v1/operator/worker-builds/current', body: 'json', out: 'json' },
  },
};
