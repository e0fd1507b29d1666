import { AwsFault, constraintFault, notModelled } from '../http/aws-fault.ts';

export type Scheme = 'internet-facing' | 'internal';
export type IpAddressType = 'ipv4' | 'dualstack' | 'dualstack-without-public-ipv4';

const SCHEMES: readonly string[] = ['internet-facing', 'internal'] satisfies Scheme[];
const IP_ADDRESS_TYPES: readonly string[] = [
  'ipv4',
  'dualstack',
  'dualstack-without-public-ipv4',
] satisfies IpAddressType[];
const TYPES: readonly string[] = ['application', 'network', 'gateway'];

/** Throws InvalidScheme. */
export function parseScheme(text: string): Scheme {
  if (SCHEMES.includes(text)) return text as Scheme;
  throw new AwsFault('InvalidScheme', `Load balancer scheme '${text}' is not valid`);
}

/** Throws ValidationError. */
export function parseIpAddressType(text: string): IpAddressType {
  if (IP_ADDRESS_TYPES.includes(text)) return text as IpAddressType;
  throw enumFault('ipAddressType', text, IP_ADDRESS_TYPES);
}

/** Throws ValidationError, or says that only `application` is modelled. */
export function checkType(text: string): void {
  if (!TYPES.includes(text)) throw enumFault('type', text, TYPES);
  if (text !== 'application') throw notModelled(`load balancer type '${text}'`);
}

function enumFault(field: string, value: string, allowed: readonly string[]): AwsFault {
  return constraintFault(
    field,
    value,
    `Member must satisfy enum value set: [${allowed.join(', ')}]`,
  );
}
