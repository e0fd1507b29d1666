/**
 * Commands for the SDK's client of services whose own client is not installed
 * (docs/decisions/0013-ec2-without-its-client.md). A schema names the members of a message, and how they are spelled on
 * the wire; what AWS answers beyond it is left out.
 */
import { partition } from '@aws-sdk/core/client';
import { makeBuilder } from '@smithy/core/client';
import { getEndpointPlugin } from '@smithy/core/endpoints';

export interface EndpointParameters {
  readonly Region?: string;
  readonly Endpoint?: string;
  readonly UseFIPS?: boolean;
  readonly UseDualStack?: boolean;
}

/** The settings of a client by which its endpoint is chosen. */
const ENDPOINT_PARAMETERS = {
  Region: { type: 'builtInParams', name: 'region' },
  Endpoint: { type: 'builtInParams', name: 'endpoint' },
  UseFIPS: { type: 'builtInParams', name: 'useFipsEndpoint' },
  UseDualStack: { type: 'builtInParams', name: 'useDualstackEndpoint' },
} as const;

/** As the SDK's clients of EC2, ACM and STS: https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html */
export function chooseEndpoint(
  service: string,
  { Region = '', Endpoint, UseFIPS = false, UseDualStack = false }: EndpointParameters,
): { readonly url: URL } {
  const { name, dnsSuffix, dualStackDnsSuffix } = partition(Region);
  const isFips = UseFIPS && (UseDualStack || name !== 'aws-us-gov');
  const suffix = UseDualStack ? dualStackDnsSuffix : dnsSuffix;
  const host = `${isFips ? `${service}-fips` : service}.${Region}.${suffix}`;
  return { url: new URL(Endpoint ?? `https://${host}`) };
}

/** The SDK's codes of the simple types and of the shapes. */
export const TEXT = 0;
export const NUMBER = 1;
export const TIME = 4;
export const TEXTS = 64;
const LIST = 1;
const STRUCTURE = 3;
const OPERATION = 9;

export type Schema = number | (() => unknown);
/** A member's schema, and its spelling in a request and in an answer where that differs. */
type Member = Schema | readonly [Schema, string, string?];

export interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly client: string;
}

/** The shapes of a service, and its commands, as of a client of its own. */
export interface ServiceSchemas {
  readonly defineStructure: (name: string, members: Readonly<Record<string, Member>>) => Schema;
  /** `item` is what the wire calls each, where that differs from the protocol's own word. */
  readonly defineList: (of: Schema, item?: string) => Schema;
  readonly createCommand: (operation: string, schemas: MessageSchemas, input: object) => object;
}

export type MessageSchemas = readonly [input: Schema, output: Schema];

export function defineService({ namespace, name: service, client }: Service): ServiceSchemas {
  const command = makeBuilder(ENDPOINT_PARAMETERS, service, client, getEndpointPlugin);
  return {
    defineStructure: (name, members) => {
      const schemas = Object.values(members).map(defineMember);
      const built = [STRUCTURE, namespace, name, 0, Object.keys(members), schemas];
      return () => built;
    },
    defineList: (of, item) => {
      const named = item === undefined ? of : [of, { xmlName: item }];
      const built = [LIST, namespace, 'List', 0, named];
      return () => built;
    },
    createCommand: (operation, [request, result], input) => {
      const schema = [OPERATION, namespace, operation, 0, request, result];
      const Command = command({}, () => [], operation, schema as never);
      return new Command(input);
    },
  };
}

function defineMember(member: Member): unknown {
  if (typeof member !== 'object') return member;
  const [schema, sent, answered] = member;
  return [
    schema,
    answered === undefined ? { xmlName: sent } : { ec2QueryName: sent, xmlName: answered },
  ];
}
