import * as fc from 'fast-check';
import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { applyFault, type FaultOf, weighed } from './drawing.ts';

/** ACM's operations, and those on listeners that have to do with TLS. */
export type TlsOperation =
  | Extract<
      AwsOperation,
      | `${'Create' | 'Modify' | 'Delete'}Listener`
      | 'DescribeListeners'
      | `${'Add' | 'Remove' | 'Describe'}ListenerCertificates`
      | `${'Describe' | 'Modify'}ListenerAttributes`
      | 'ListCertificates'
    >
  | `${'Import' | 'Describe' | 'Delete'}Certificate`;

/** What an import brings. */
export type Content = 'shop' | 'org' | 'ecdsa' | 'expired' | 'otherKey' | 'noPem';

/** One call in words that hold for every backend: listeners and certificates are slots. */
export interface TlsStep {
  readonly operation: TlsOperation;
  /** One of two ports. */
  readonly listener: number;
  /** None: the call names no protocol. */
  readonly protocol: 'HTTP' | 'HTTPS' | undefined;
  readonly policy: string | undefined;
  /** None: the call names no certificates. Slot 3 has never been. */
  readonly certificates: readonly number[];
  readonly isDefaultGiven: boolean;
  readonly attribute: readonly [key: string, value: string];
  readonly content: Content;
  /** Into the ARN that the slot has. */
  readonly isAgain: boolean;
  readonly hasTags: boolean;
  /** The one thing that is wrong with the call by itself. */
  readonly fault: TlsFault | undefined;
}

const MODERN = 'ELBSecurityPolicy-TLS13-1-2-2021-06';
const FRAME = 'routing.http.response.x_frame_options.header_value';
const VERSION = 'routing.http.request.x_amzn_tls_version.header_name';
const SERVER = 'routing.http.response.server.enabled';

/** What AWS refuses in any account, each as it changes a step, and the operations that have the field. */
const FAULTS = {
  noCertificate: [/^CreateListener$/, { protocol: 'HTTPS', certificates: [] }],
  twoCertificates: [/^(CreateListener|AddL.*)$/, { protocol: 'HTTPS', certificates: [0, 1] }],
  isDefault: [/^(CreateListener|AddL.*)$/, { protocol: 'HTTPS', isDefaultGiven: true }],
  policy: [/^(Create|Modify)Listener$/, { policy: 'ELBSecurityPolicy-None', protocol: 'HTTPS' }],
  plainCertificate: [/^CreateListener$/, { protocol: 'HTTP', policy: undefined }],
  plainPolicy: [/^CreateListener$/, { protocol: 'HTTP', policy: MODERN, certificates: [] }],
  attributeName: [/^ModifyListenerAttributes$/, { attribute: ['routing.none', 'true'] }],
  attributeValue: [/^ModifyListenerAttributes$/, { attribute: [SERVER, 'perhaps'] }],
  expired: [/^ImportCertificate$/, { content: 'expired' }],
  otherKey: [/^ImportCertificate$/, { content: 'otherKey' }],
  noPem: [/^ImportCertificate$/, { content: 'noPem' }],
  tagsAgain: [/^ImportCertificate$/, { isAgain: true, hasTags: true }],
} as const satisfies Readonly<Record<string, FaultOf<TlsStep>>>;

export type TlsFault = keyof typeof FAULTS;

const WEIGHTS: readonly (readonly [number, TlsOperation])[] = [
  [4, 'CreateListener'],
  [4, 'ModifyListener'],
  [1, 'DeleteListener'],
  [1, 'DescribeListeners'],
  [4, 'AddListenerCertificates'],
  [3, 'RemoveListenerCertificates'],
  [2, 'DescribeListenerCertificates'],
  [2, 'DescribeListenerAttributes'],
  [3, 'ModifyListenerAttributes'],
  [3, 'ImportCertificate'],
  [2, 'DescribeCertificate'],
  [2, 'DeleteCertificate'],
  [1, 'ListCertificates'],
];
const OPERATIONS = WEIGHTS.map(([, operation]) => operation);

/** Listeners and certificates of everyday, and now and then what AWS refuses. */
export const tlsSteps: fc.Arbitrary<readonly TlsStep[]> = fc.array(
  fc
    .record<TlsStep>({
      operation: weighed(...WEIGHTS),
      listener: fc.nat(1),
      protocol: weighed<TlsStep['protocol']>([6, 'HTTPS'], [2, 'HTTP'], [2, undefined]),
      policy: weighed<string | undefined>([3, MODERN], [2, undefined]),
      certificates: weighed<readonly number[]>([5, [0]], [5, [1]], [2, [2]], [1, [3]]),
      isDefaultGiven: fc.constant(false),
      attribute: weighed<TlsStep['attribute']>(
        [3, [FRAME, 'DENY']],
        [2, [SERVER, 'false']],
        [2, [VERSION, 'X-Version']],
      ),
      content: weighed<Content>([2, 'shop'], [2, 'org'], [2, 'ecdsa']),
      isAgain: weighed([2, false], [1, true]),
      hasTags: fc.constant(false),
      fault: weighed<TlsFault | undefined>(
        [30, undefined],
        ...(Object.keys(FAULTS) as TlsFault[]).map((fault) => [2, fault] as const),
      ),
    })
    .map((step) => applyFault(step, FAULTS))
    .map(sensible),
  { minLength: 6, maxLength: 14, size: 'max' },
);

/** Nobody gives a certificate or a policy for HTTP, unless as a fault. */
function sensible(step: TlsStep): TlsStep {
  const { fault, operation, protocol } = step;
  if (fault !== undefined || !operation.endsWith('eListener')) return step;
  if (operation === 'CreateListener' && protocol === undefined)
    return { ...step, protocol: 'HTTPS' };
  return protocol === 'HTTP' ? { ...step, policy: undefined, certificates: [] } : step;
}

const PLAIN: TlsStep = {
  operation: 'ImportCertificate',
  ...{ listener: 0, protocol: 'HTTPS', policy: MODERN, certificates: [0], isDefaultGiven: false },
  ...{ attribute: [FRAME, ''], content: 'shop', isAgain: false, hasTags: false, fault: undefined },
};

/** What every sequence begins with: two certificates, and a listener with one of them. */
export const openingTls: readonly TlsStep[] = [
  PLAIN,
  { ...PLAIN, certificates: [1], content: 'org' },
  { ...PLAIN, operation: 'CreateListener' },
];

/** What every sequence ends with: all that is there is read. */
export const closingTls: readonly TlsStep[] = [
  { ...PLAIN, operation: 'DescribeListeners' },
  { ...PLAIN, operation: 'DescribeListenerCertificates' },
  { ...PLAIN, operation: 'ListCertificates' },
];

const HTTP: TlsStep = {
  ...{ ...PLAIN, operation: 'CreateListener', listener: 1, protocol: 'HTTP' },
  ...{ policy: undefined, certificates: [] },
};

/** Each fault once, in the first operation that can have it; certificates of HTTP, and one that is listed on request. */
export const tlsExamples: readonly (readonly TlsStep[])[] = [
  ...(Object.entries(FAULTS) as readonly [TlsFault, readonly [RegExp, unknown]][]).map(
    ([fault, [concerned]]) => {
      const operation = OPERATIONS.find((one) => concerned.test(one)) ?? 'CreateListener';
      const listener = operation === 'CreateListener' ? 1 : 0;
      return [applyFault({ ...PLAIN, listener, operation, fault }, FAULTS)];
    },
  ),
  ...(['Add', 'Remove', 'Describe'] as const).map((verb): readonly TlsStep[] => [
    HTTP,
    { ...PLAIN, operation: `${verb}ListenerCertificates`, listener: 1 },
  ]),
  [{ ...PLAIN, certificates: [2], content: 'ecdsa' }],
];
