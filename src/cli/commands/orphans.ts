import { type MyIngress, myIngressKind, ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { AwsOperation } from '../../aws/elbv2/load-balancers.ts';
import { getKey, splitKey } from '../../core/objects/kube-object.ts';
import { type Account, openAccount } from '../account/account.ts';
import { type Installation, readInstallation } from '../account/installation.ts';
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
    'of resources, checks each one again and deletes it, load balancers first. It stops at the ' +
    'first surprise. A load balancer that was adopted is listed and never deleted: its owner had ' +
    'it before albridge.',
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
    const found = await withProgress('reading AWS', surroundings, () => find(within));
    const deletable = found.filter(({ isAdopted }) => !isAdopted);
    if (!isDeleting) return report(context, found);
    if (deletable.length > 0) return await remove(within, deletable);
    await confirmDeletion(0, flags.text('yes-delete'), surroundings);
    return report(context, found);
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

/** AWS is read before the cluster: an object is there before anything of it is. */
async function find({ context, installation, account }: Search): Promise<readonly Orphan[]> {
  const { clusterId: cluster } = installation;
  const { flags, signal } = context;
  const owned = await listOwned(account, cluster, signal);
  const namespace = flags.text('namespace');
  const listed = { kind: myIngressKind, namespace };
  const items = await listAll<MyIngress>(context.cluster().client, listed, signal);
  const byKey = new Map(items.map((item) => [getKey(item), item] as const));
  return findOrphans(owned, { cluster, byKey, namespace });
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
  await Promise.all([inventory.refresh(new Set(), signal, new Set()), groups]);
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
  context.output.print(done.map(describeDeletion), () => {
    const count = done.filter(({ result }) => result === 'deleted').length;
    return `${count} deleted, ${done.length - count} were gone already\n`;
  });
  return exitCodes.done;
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

function report({ output }: CommandContext, found: readonly Orphan[]): number {
  output.print(found.map(describeOrphan), () => {
    return found.length === 0
      ? 'nothing in AWS is without its object\n'
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
