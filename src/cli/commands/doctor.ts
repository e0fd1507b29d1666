import { compareAccounts, readHeldArns, readOperatorRoles } from '../account/compare-accounts.ts';
import { chooseInstallation, type Installation, readSystemUid } from '../account/installation.ts';
import { type FoundOperators, readOperators } from '../account/operators.ts';
import type { ClusterAccess } from '../cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { type Check, guard, type Verdict } from '../doctor/check.ts';
import {
  type AccountScope,
  checkIdentity,
  checkReads,
  checkSubnets,
} from '../doctor/check-account.ts';
import { checkDefinitions, checkServer } from '../doctor/check-cluster.ts';
import { checkLeases, judgeClusterIds, judgeDeployments } from '../doctor/check-operator.ts';
import { checkOperatorRights, checkOwnRights } from '../doctor/check-rights.ts';
import { checkWrites, choosePrincipal } from '../doctor/check-writes.ts';
import { describeError, exitCodes, SettingError } from '../errors.ts';
import type { OurKind } from '../objects/kinds.ts';
import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { wrapLine } from '../output/wrap.ts';
import { withProgress } from '../progress.ts';

/** `doctor`: everything that albridge needs, each thing in one line. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'check everything that albridge needs: cluster, rights, AWS account',
  operands: { usage: '', min: 0, max: 0 },
  details:
    'Writes nothing. AWS is asked with your credentials (SDK default chain); writes are checked ' +
    "by IAM's simulator where you may use it. Each line is ok, a warning, failed, or not checked, " +
    'with the next step; the exit code is 1 if a check failed.',
  examples: [
    { line: 'doctor', what: 'check cluster and account' },
    { line: 'doctor --context staging -o json', what: 'another cluster, for a script' },
  ],
  options: {},
  run: async (context) => {
    const checks = await withProgress('checking', context.surroundings, () => examine(context));
    // Each check takes an interruption for its own failure.
    context.signal.throwIfAborted();
    context.output.print({ checks }, (style) =>
      checks.map((one) => drawCheck(one, style, context.output.columns)).join(''),
    );
    const hasFailed = checks.some(({ verdict }) => verdict === 'failed');
    return hasFailed ? exitCodes.failed : exitCodes.done;
  },
};

async function examine(context: CommandContext): Promise<readonly Check[]> {
  const { signal, clock } = context;
  const access = context.cluster();
  const server = await checkServer(access, { clock, signal });
  if (server.some(({ name, verdict }) => name === 'API server' && verdict === 'failed')) {
    const message = 'it is checked once that is corrected';
    return [...server, { name: 'everything else', verdict: 'not checked', message }];
  }
  // Each of the two parts says it where this fails.
  const reading = readOperators(access.client, { namespace: access.namespace, signal });
  const [cluster, account] = await Promise.all([
    examineCluster(access, { context, reading }),
    guard('AWS', async () => examineAccount(access, { context, found: await reading })),
  ]);
  return [...server, ...cluster, ...account];
}

async function examineCluster(
  access: ClusterAccess,
  {
    context: { clock, signal },
    reading,
  }: { readonly context: CommandContext; readonly reading: Reading },
): Promise<readonly Check[]> {
  let kinds: readonly OurKind[] = [];
  const definitions = await guard('CRDs', async () => {
    const { checks, served } = await checkDefinitions(access, signal);
    kinds = served;
    return checks;
  });
  const parts = await Promise.all([
    guard('operator', async () => examineOperators(access, await reading, { kinds, signal })),
    guard('leader', async () => checkLeases(access, await reading, { clock, signal })),
    guard('your rights', () => checkOwnRights(access, { kinds, signal })),
  ]);
  return [...definitions, ...parts.flat()];
}

type Reading = ReturnType<typeof readOperators>;

async function examineOperators(
  access: ClusterAccess,
  found: FoundOperators | undefined,
  scope: { readonly kinds: readonly OurKind[]; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const { operators = [], others = [] } = found ?? {};
  // Without an operator, one of the others may be meant for it: which rights does it lack?
  const examined = operators.length > 0 ? operators : others.slice(0, 1);
  const rights = await Promise.all(examined.map((one) => checkOperatorRights(access, one, scope)));
  const isAlone = operators.length < 2;
  const systemUid = isAlone ? undefined : await readSystemUid(access.client, scope.signal);
  return [...judgeDeployments(found), ...judgeClusterIds(operators, systemUid), ...rights.flat()];
}

async function examineAccount(
  access: ClusterAccess,
  {
    context,
    found,
  }: { readonly context: CommandContext; readonly found: FoundOperators | undefined },
): Promise<readonly Check[]> {
  const { clock, signal } = context;
  const scope = await findScope(access, context, found);
  if (scope.kind === 'unknown') {
    const next = 'correct this, and log in to AWS, to have the account checked as well';
    return [{ name: 'AWS', verdict: scope.verdict, message: scope.why, next }];
  }
  const account: AccountScope = { ...scope, clock, signal };
  const warnings = scope.warnings.map((message) => {
    return { name: 'AWS settings', verdict: 'warning' as const, message };
  });
  const { checks, identity } = await checkIdentity(account);
  if (identity === undefined) return [...warnings, ...checks];
  const roles = await readOperatorRoles(access.client, scope.operators, signal);
  const parts = await Promise.all([
    guard('AWS account', () => checkAccount(access, identity.account, { scope, roles, signal })),
    guard('AWS reads', () => checkReads(account)),
    guard('AWS writes', () => checkWrites(account, choosePrincipal(identity.arn, roles))),
    guard('subnets', () => checkSubnets(account)),
  ]);
  return [...warnings, ...checks, ...parts.flat()];
}

type Scope =
  | ({ readonly kind: 'known' } & Installation)
  | { readonly kind: 'unknown'; readonly verdict: Verdict; readonly why: string };

async function findScope(
  { client }: ClusterAccess,
  { surroundings, signal }: CommandContext,
  found: FoundOperators | undefined,
): Promise<Scope> {
  try {
    const search = { env: surroundings.env, signal };
    return { kind: 'known', ...(await chooseInstallation(client, search, found)) };
  } catch (error) {
    signal.throwIfAborted();
    const verdict = error instanceof SettingError ? 'failed' : 'not checked';
    return { kind: 'unknown', verdict, why: describeError(error) };
  }
}

/** Only a difference is a finding: where nothing tells, the check is left out. */
async function checkAccount(
  { client, namespace }: ClusterAccess,
  account: string,
  {
    scope,
    roles,
    signal,
  }: {
    readonly scope: Pick<Installation, 'operators' | 'others'>;
    readonly roles: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<readonly Check[]> {
  const arns = await readHeldArns(client, scope, { namespace, signal });
  const difference = compareAccounts(account, { roles, arns });
  return difference === undefined
    ? []
    : [{ name: 'AWS account', verdict: 'warning', ...difference }];
}

const WIDTH = 'not checked'.length;

const INDENT = ' '.repeat(WIDTH + 2);

function drawCheck(
  { name, verdict, message, next }: Check,
  style: Style,
  columns: number | undefined,
): string {
  const page = { columns, indent: INDENT };
  const line = wrapLine(`${paint(verdict, style)}  ${name}: ${escapeText(message)}`, page);
  if (next === undefined) return `${line}\n`;
  return `${line}\n${wrapLine(`${INDENT}next: ${escapeText(next)}`, page)}\n`;
}

function paint(verdict: Verdict, style: Style): string {
  const text = verdict.padEnd(WIDTH);
  switch (verdict) {
    case 'ok':
      return style.good(text);
    case 'warning':
      return style.warning(text);
    case 'failed':
      return style.bad(text);
    case 'not checked':
      return style.dim(text);
  }
}
