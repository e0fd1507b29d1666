import { isDeepStrictEqual } from 'node:util';
import type { DifferenceId } from '../../../localstack/differences.ts';
import { areAttributesAlike, type Verdict } from './judge.ts';
import type { Outcome } from './side.ts';
import type { TlsFault, TlsStep } from './tls-steps.ts';

/** Fault by fault: what the backend accepts although AWS refuses it. */
const BY_FAULT: Readonly<Partial<Record<TlsFault, DifferenceId>>> = {
  noCertificate: 'https-certificate',
  twoCertificates: 'certificates-per-call',
  isDefault: 'certificate-is-default',
  policy: 'security-policy-exists',
  plainCertificate: 'tls-of-http',
  plainPolicy: 'tls-of-http',
  attributeName: 'listener-attribute-values',
  attributeValue: 'listener-attribute-values',
  otherKey: 'certificate-key',
  tagsAgain: 'tags-of-reimport',
};

/** Answers that come from what is there, and not from the call alone: operation, our code, theirs. */
const BY_CODES: Readonly<Record<string, DifferenceId>> = {
  'CreateListener DuplicateListener ok': 'one-listener-per-port',
  'ModifyListener to undefined ValidationError ok': 'tls-of-http',
  'ModifyListener ValidationError ok': 'https-needs-both',
  'ModifyListener ValidationError InvalidConfigurationRequest': 'https-needs-both',
  'ModifyListenerAttributes ValidationError ok': 'listener-attribute-values',
  'AddListenerCertificates CertificateNotFound ok': 'added-certificate-exists',
  'AddListenerCertificates ValidationError ok': 'certificates-of-http',
  'RemoveListenerCertificates ValidationError ok': 'certificates-of-http',
  'DescribeListenerCertificates ValidationError ok': 'certificates-of-http',
  'RemoveListenerCertificates OperationNotPermitted ok': 'default-certificate',
  'DeleteCertificate ResourceInUse ok': 'certificate-in-use',
};

/** Pure. */
export function judgeTls(step: TlsStep, ours: Outcome, theirs: Outcome): Verdict {
  if (isDeepStrictEqual(ours, theirs)) return { difference: undefined, isApart: false };
  const [mine, other] = [ours.code, theirs.code];
  if (mine === 'ok' && other === 'ok') return judgeAccepted(ours.said as Said, theirs.said as Said);
  const isApart = !step.operation.startsWith('Describe') && (mine === 'ok' || other === 'ok');
  return { difference: findDifference(step, mine, other), isApart };
}

function findDifference(
  { fault, operation, protocol }: TlsStep,
  mine: string,
  other: string,
): DifferenceId | undefined {
  if (fault !== undefined && mine !== 'ok' && other === 'ok') return BY_FAULT[fault];
  const codes = `${mine} ${other}`;
  const byCodes =
    BY_CODES[`${operation} to ${protocol} ${codes}`] ?? BY_CODES[`${operation} ${codes}`];
  if (byCodes !== undefined) return byCodes;
  return mine !== 'ok' && other !== 'ok' ? 'which-fault-first' : undefined;
}

interface Said {
  readonly isNew?: boolean;
  readonly listeners?: readonly DescribedListener[];
  readonly certificates?: readonly string[];
  readonly attributes?: readonly string[];
  readonly detail?: Fields;
  readonly listed?: readonly Fields[];
}

interface DescribedListener {
  readonly Protocol?: string;
  readonly certificates: readonly string[];
}

function judgeAccepted(mine: Said, their: Said): Verdict {
  if (mine.isNew !== their.isNew) return { difference: 'one-listener-per-port', isApart: true };
  return { difference: differenceIn(mine, their), isApart: false };
}

function differenceIn(mine: Said, their: Said): DifferenceId | undefined {
  if (mine.attributes !== undefined) {
    const isKnown = areAttributesAlike(mine.attributes, their.attributes, 'tcp.');
    return isKnown ? 'listener-attribute-defaults' : undefined;
  }
  if (mine.detail !== undefined) return detailDifference(mine, their);
  if (mine.listed !== undefined) return listDifference(mine, their);
  if (mine.certificates !== undefined) return 'certificate-list';
  return mine.listeners === undefined ? undefined : listenerDifference(mine, their);
}

type Fields = Readonly<Record<string, unknown>>;

function detailDifference({ detail: mine }: Said, their: Said): DifferenceId | undefined {
  const { users: _, ...detail } = { ...mine };
  const { users: _users, ...theirs } = { ...their.detail };
  if (isDeepStrictEqual(detail, theirs)) return 'certificate-users';
  return isDeepStrictEqual(detail, respelled(theirs)) ? 'key-algorithm-names' : undefined;
}

function listDifference({ listed: mine = [] }: Said, their: Said): DifferenceId | undefined {
  const spelled = their.listed?.map(respelled) ?? [];
  const listed = spelled.filter(({ KeyAlgorithm }) => KeyAlgorithm === 'RSA_2048');
  if (listed.length !== spelled.length) return 'listed-key-types';
  const withoutUse = (all: readonly Fields[]): unknown =>
    all.map((one) => ({ ...one, InUse: false }));
  return isDeepStrictEqual(withoutUse(mine), withoutUse(listed)) ? 'certificate-users' : undefined;
}

function respelled(fields: Fields): Fields {
  return { ...fields, KeyAlgorithm: String(fields['KeyAlgorithm']).replace('-', '_') };
}

/** HTTP listeners of theirs have what belongs to TLS; the others may have more certificates. */
function listenerDifference(
  { listeners: mine = [] }: Said,
  { listeners: their = [] }: Said,
): DifferenceId | undefined {
  const plain = (all: readonly DescribedListener[]): unknown =>
    all.map((one) => (one.Protocol === 'HTTP' ? { Protocol: 'HTTP' } : one));
  if (isDeepStrictEqual(plain(mine), plain(their))) return 'tls-of-http';
  const bare = (all: readonly DescribedListener[]): unknown =>
    all.map((one) =>
      one.Protocol === 'HTTP' ? { Protocol: 'HTTP' } : { ...one, certificates: [] },
    );
  return isDeepStrictEqual(bare(mine), bare(their)) ? 'certificate-list' : undefined;
}

/** Every difference that a sequence can show. */
export const judgedTls: ReadonlySet<DifferenceId> = new Set<DifferenceId>([
  ...Object.values(BY_FAULT),
  ...Object.values(BY_CODES),
  'certificate-list',
  'certificate-users',
  'key-algorithm-names',
  'listed-key-types',
  'listener-attribute-defaults',
  'which-fault-first',
]);
