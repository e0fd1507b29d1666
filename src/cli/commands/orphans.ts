import { type MyIngress, myIngressKind, ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { AwsOperation } from '../../aws/elbv2/load-balancers.ts';
import { readCallerIdentity } from '../../aws/identity/identity.ts';
import { getKey, splitKey } from '../../core/objects/kube-object.ts';
import { type Account, openAccount } from '../account/account.ts';
import {
  chooseServing,
  compareAccounts,
  listHeldArns,
  readOperatorRoles,
} from '../account/compare-accounts.ts';
import { type Installation, readInstallation } from '../account/installation.ts';
import { USER_AGENT } from '../cluster.ts';
import type { Command, CommandContext } from '../command.ts';
import { CommandError, exitCodes, UsageError } from '../errors.ts';
import { listAll, readMyIngress } from '../objects/read.ts';
import { confirmDeletion } from '../orphans/confirm.ts';
import {
  createAuditLog,
  type Deletion,
  deleteOrphans,
  type OrphanPorts,
} from '../orphans/delete-orphans.ts';
import { findOrphans, type Objects, type Orphan, type Owned } from '../orphans/find-orphans.ts';
import { escapeText } from '../output/escape.ts';
import { getColumns } from '../output/output.ts';
import { wrapTable } from '../output/wrap.ts';
import { withProgress } from '../progress.ts';

/** The only writes that this command can send. */
const WRITES: readonly AwsOperation[] = [
  'DeleteLoadBalancer',
  'DeleteTargetGroup',
  'DeleteSecurityGroup',
];

export const orphans: Command = {
  name: 'orphans',
  summary: 'list or delete what albridge made in AWS and no object stands for',
  operands: { usage: '', min: 0, max: 0 },
  details:
    "Load balancers, target groups and security groups with this cluster's ownership tags whose " +
    'MyIngress does not exist, in all namespaces unless -n is given. What an object that is being ' +
    'deleted holds is not listed, nor what was retained or released. --delete asks for the number ' +
    'of resources, checks each one again and deletes it, load balancers first. It passes over what ' +
    'is in use, and stops at the first surprise. A load balancer that was adopted is listed and ' +
    'never deleted: its owner had it before albridge.',
  examples: [
    { line: 'orphans', what: 'list them' },
    { line: 'orphans --delete', what: 'delete them, after a question' },
    {
      line: 'orphans --delete --yes-delete 3',
      what: 'the same in a script: exactly 3 are expected',
    },
  ],
  options: {
    delete: { type: 'boolean', help: 'delete them after a confirmation' },
    'yes-delete': {
      type: 'string',
      value: 'NUMBER',
      help: 'with --delete: the number of resources, instead of typing it',
    },
  },
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { clock, flags, signal, surroundings } = context;
  const isDeleting = flags.isOn('delete');
  refuseWrongNumber(flags.text('yes-delete'), isDeleting);
  const { client } = context.cluster();
  const search = { env: surroundings.env, namespace: flags.text('namespace'), signal };
  const installation = await readInstallation(client, search);
  const { doubt, warnings } = installation;
  if (isDeleting && doubt !== undefined) throw new CommandError(`nothing was deleted: ${doubt}`);
  for (const warning of doubt === undefined ? warnings : [...warnings, doubt]) {
    surroundings.stderr.write(`warning: ${escapeText(warning)}\n`);
  }
  const log = createAuditLog(clock, surroundings.stderr);
  const writes = isDeleting ? WRITES : [];
  const account = openAccount(installation.aws, { clock, writes, log });
  try {
    const within = { context, installation, account };
    const { found, where, warning } = await withProgress('reading AWS', surroundings, () =>
      find(within),
    );
    if (warning !== undefined) surroundings.stderr.write(`warning: ${escapeText(warning)}\n`);
    const deletable = found.filter(({ isAdopted }) => !isAdopted);
    if (!isDeleting) return report(context, found, where);
    if (deletable.length > 0) return await remove(within, deletable);
    await confirmDeletion(0, flags.text('yes-delete'), surroundings);
    return report(context, found, where);
  } finally {
    account.close();
  }
}

/** Throws UsageError where --yes-delete stands alone or is no number. */
function refuseWrongNumber(typed: string | undefined, isDeleting: boolean): void {
  if (typed === undefined) return;
  if (!isDeleting) throw new UsageError('--yes-delete has a meaning only with --delete');
  if (/^\d+$/.test(typed.trim())) return;
  throw new UsageError(
    `--yes-delete takes the number of resources that albridge orphans lists, not "${typed}"`,
  );
}

interface Search {
  readonly context: CommandContext;
  readonly installation: Installation;
  readonly account: Account;
}

interface Found {
  readonly found: readonly Orphan[];
  /** The account that was read, and its region. */
  readonly where: string;
  /** About an account that is not the operator's. */
  readonly warning: string | undefined;
}

/** The rest waits for what serves the warning, and names the account, no longer than this. */
const PATIENCE_MS = 2000;

/** AWS is read before the cluster: an object is there before anything of it is. */
async function find(search: Search): Promise<Found> {
  const { context, installation, account } = search;
  const { aws, clusterId: cluster } = installation;
  const { clock, flags, signal } = context;
  const aside = new AbortController();
  try {
    const asking = askAside(search, AbortSignal.any([signal, aside.signal]));
    const owned = await listOwned(account, cluster, signal);
    const namespace = flags.text('namespace');
    const listed = { kind: myIngressKind, namespace };
    const items = await listAll<MyIngress>(context.cluster().client, listed, signal);
    const byKey = new Map(items.map((item) => [getKey(item), item] as const));
    const cancel = clock.setTimer(PATIENCE_MS, () => aside.abort());
    const [id, roles] = await asking;
    cancel();
    const arns = listHeldArns(items, installation);
    const difference = id && compareAccounts(id, { roles, arns });
    return {
      found: findOrphans(owned, { cluster, byKey, namespace }),
      where: `AWS${id === undefined ? '' : ` account ${id}`}, region ${aws.region},`,
      warning: difference && `${difference.message}: ${difference.next}`,
    };
  } finally {
    aside.abort();
  }
}

/** The id of the account that is read, and the roles of the operators; a failure is as if nothing told. */
function askAside(
  { context: { clock, cluster, flags }, installation }: Search,
  signal: AbortSignal,
): Promise<readonly [string | undefined, readonly string[]]> {
  const options = { ...installation.aws, userAgent: USER_AGENT, clock, signal };
  const serving = chooseServing(installation.operators, flags.text('namespace'));
  return Promise.all([
    readCallerIdentity(options).then(
      ({ account }) => account,
      () => undefined,
    ),
    readOperatorRoles(cluster().client, serving, signal).catch(() => []),
  ]);
}

async function listOwned(
  { inventory, traffic }: Account,
  cluster: string,
  signal: AbortSignal,
): Promise<readonly Owned[]> {
  const groups = traffic().securityGroups.find(
    { tags: { [ownershipTagKeys.cluster]: cluster } },
    signal,
  );
  await Promise.all([inventory.refresh(new Set(), signal, 'every'), groups]);
  const [balancers, targetGroups] = [inventory.listOthers(), inventory.listOtherTargetGroups()];
  const tags = await inventory.readTags([...balancers, ...targetGroups], signal);
  const listed = (kind: Owned['kind'], arns: readonly string[]): readonly Owned[] =>
    arns.flatMap((id) => {
      const of = tags.get(id);
      return of === undefined ? [] : [{ kind, id, tags: of }];
    });
  return [
    ...listed('load-balancer', balancers),
    ...listed('target-group', targetGroups),
    ...(await groups).map(({ securityGroup: { id }, tags: of }) => {
      return { kind: 'security-group', id, tags: of } as const;
    }),
  ];
}

async function remove(search: Search, found: readonly Orphan[]): Promise<number> {
  const { context } = search;
  const { flags, signal, surroundings } = context;
  surroundings.stderr.write(drawTable(found, getColumns(surroundings.stderr)));
  await confirmDeletion(found.length, flags.text('yes-delete'), surroundings);
  const done = await deleteOrphans(found, createPorts(search), signal);
  const count = (sought: Deletion['result']): number =>
    done.filter(({ result }) => result === sought).length;
  const staying = count('in use');
  context.output.print(done.map(describeDeletion), () => {
    const rest = staying === 0 ? '' : `, ${staying} in use stay`;
    return `${count('deleted')} deleted, ${count('gone')} were gone already${rest}\n`;
  });
  return staying === 0 ? exitCodes.done : exitCodes.failed;
}

function createPorts({ context, installation, account }: Search): OrphanPorts {
  const { clock, surroundings } = context;
  const { inventory, loadBalancers, traffic } = account;
  const { securityGroups, targetGroups } = traffic();
  return {
    clock,
    readTags: async ({ kind, id }, signal) => {
      if (kind !== 'security-group') return (await inventory.readTags([id], signal)).get(id);
      return (await securityGroups.find({ ids: [id] }, signal))[0]?.tags;
    },
    readObjects: async ({ key }, signal) => {
      const object = await readMyIngress(context.cluster().client, splitKey(key), signal);
      const byKey = new Map(object === undefined ? [] : [[key, object] as const]);
      return { cluster: installation.clusterId, byKey } satisfies Objects;
    },
    delete: {
      'load-balancer': (id) => loadBalancers.delete(id),
      'target-group': (id) => targetGroups.delete(id),
      'security-group': (id) => securityGroups.delete(id),
    },
    say: (line) => void surroundings.stderr.write(`${line}\n`),
  };
}

function report({ output }: CommandContext, found: readonly Orphan[], where: string): number {
  output.print(found.map(describeOrphan), () => {
    return found.length === 0
      ? `nothing in ${where} is without its object\n`
      : drawTable(found, output.columns);
  });
  return exitCodes.done;
}

function describeOrphan({ kind, id, key, isAdopted }: Orphan): Readonly<Record<string, string>> {
  return { kind, id, ...splitKey(key), ...(isAdopted && { note: ADOPTED }) };
}

function describeDeletion({ orphan, result }: Deletion): Readonly<Record<string, string>> {
  return { ...describeOrphan(orphan), result };
}

const ADOPTED = '(adopted: stays)';

function drawTable(found: readonly Orphan[], columns: number | undefined): string {
  const rows = found.map(({ kind, id, key, isAdopted }) => {
    const { namespace, name } = splitKey(key);
    return [kind, namespace, name, isAdopted ? `${id} ${ADOPTED}` : id].map(escapeText);
  });
  return wrapTable([['KIND', 'NAMESPACE', 'NAME', 'ID'], ...rows], columns);
}
