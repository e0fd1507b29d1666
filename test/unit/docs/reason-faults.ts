import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonsByKind } from '../../../docs/reasons.ts';
import { coreReasons, startReasons } from '../../../src/apis/core-reasons.ts';
import { operations } from '../../../src/aws/client/operations.ts';
import { kubeReasons } from '../../../src/kube/client/kube-reasons.ts';

/** Compares the reasons that the code gives with those that docs/reasons.md lists. */

const ROOT = resolve(import.meta.dirname, '../../..');

/** Words of the code in the form of a reason that are none: of Kubernetes, of AWS, types of conditions, fields. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  'All',
  'Always',
  'AttachmentsAccepted',
  'BackendsResolved',
  'Background',
  'CanonicalHostedZoneId',
  'CertificatesValid',
  'ConfigMap',
  'DNSName',
  'Deleted',
  'Deployment',
  'Error',
  'Evict',
  'Exception',
  'Exposed',
  'Failed',
  'GetCallerIdentity',
  'IpAddressType',
  'Normal',
  'NotJson',
  'NotOlderThan',
  'NotReconciled',
  'Pending',
  'PodsOutlastRequests',
  'Ready',
  'Reconciling',
  'Repair',
  'Same',
  'Scheme',
  'Secret',
  'Service',
  'SimulatePrincipalPolicy',
  'Skip',
  'SpecChanged',
  'Stalled',
  'Strict',
  'TargetsHealthy',
  'Terminating',
  'ToBeDeletedByClusterAutoscaler',
  'Type',
  'VpcId',
  'Warning',
]);

/** Reasons by the path of the file that gives them. */
export type Given = ReadonlyMap<string, ReadonlySet<string>>;

/** Path and text of what may give a reason: the command line only reads them. */
export function sourceFiles(): ReadonlyMap<string, string> {
  const paths = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => {
    return !/^src\/cli\/|-(commands|reasons|schema)\.ts$/.test(path);
  });
  return new Map(paths.map((path) => [path, readFileSync(resolve(ROOT, path), 'utf8')]));
}

/** `src/x.ts: Word is neither ...`, `Reason is listed ... and never given`; empty where all is well. */
export function reasonFaults(given: Given): readonly string[] {
  const unknown = [...given].flatMap(([path, words]) => {
    const listed = listedFor(path);
    return [...words]
      .filter(
        (word) => !listed.has(word) && !OTHER_WORDS.has(word) && !Object.hasOwn(operations, word),
      )
      .map((word) => `${path}: ${word} is neither a reason of docs/reasons.md nor in OTHER_WORDS`);
  });
  const all = new Set([...given.values()].flatMap((words) => [...words]));
  const listed = allListed();
  const unused = [...listed].filter((reason) => !all.has(reason));
  const idle = [...OTHER_WORDS].filter((word) => !all.has(word) || listed.has(word));
  return [
    ...unknown,
    ...unused.map((reason) => `${reason} is listed in docs/reasons.md and never given`),
    ...idle.map((word) => `${word} need not be in OTHER_WORDS`),
  ];
}

function listedFor(path: string): ReadonlySet<string> {
  const island = /^src\/controllers\/([\w-]+)\//.exec(path)?.[1];
  const kind = Object.keys(reasonsByKind).find((name) => kebab(name) === island);
  if (kind === undefined) return allListed();
  return new Set([...namesOf(kind), ...Object.keys(coreReasons)]);
}

function allListed(): ReadonlySet<string> {
  const kinds = Object.keys(reasonsByKind).flatMap(namesOf);
  return new Set([...kinds, ...Object.keys({ ...kubeReasons, ...startReasons, ...coreReasons })]);
}

function namesOf(kind: string): readonly string[] {
  return Object.keys({ ...reasonsByKind[kind]?.reasons, ...reasonsByKind[kind]?.further });
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
}
