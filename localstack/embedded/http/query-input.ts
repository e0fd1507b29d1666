import type { Input } from '../input-fields.ts';
import type { ServiceName } from '../operations.ts';
import { AwsFault, validationError } from './aws-fault.ts';
import type { QueryFields, QueryValue } from './query-parser.ts';

/** Lists of ELBv2's input; an SDK writes an empty one as `Name=`. */
const LIST_FIELDS: ReadonlySet<string> = new Set([
  'ActionNames',
  'Actions',
  'AlpnPolicy',
  'Attributes',
  'Certificates',
  'Conditions',
  'ContextEntries',
  'ContextKeyValues',
  'DefaultActions',
  'Include',
  'ListenerArns',
  'LoadBalancerArns',
  'Names',
  'RegexValues',
  'ResourceArns',
  'Rewrites',
  'RuleArns',
  'RulePriorities',
  'SecurityGroups',
  'SubnetMappings',
  'Subnets',
  'TagKeys',
  'Tags',
  'TargetGroupArns',
  'TargetGroups',
  'Targets',
  'Transforms',
  'Values',
]);

const INTEGER_FIELDS: ReadonlySet<string> = new Set([
  'DurationSeconds',
  'FromPort',
  'HealthCheckIntervalSeconds',
  'HealthCheckTimeoutSeconds',
  'HealthyThresholdCount',
  'MaxResults',
  'Order',
  'PageSize',
  'Port',
  'Priority',
  'TargetControlPort',
  'ToPort',
  'UnhealthyThresholdCount',
  'Weight',
]);
const BOOLEAN_FIELDS: ReadonlySet<string> = new Set([
  'AmazonProvidedIpv6CidrBlock',
  'DryRun',
  'Enabled',
  'HealthCheckEnabled',
  'IgnoreClientCertificateExpiry',
  'IsDefault',
  'ResetTransforms',
]);

/** EC2 names a list on the wire after its member; this is the name in the SDK. */
const EC2_LIST_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Filter: 'Filters',
    GroupId: 'GroupIds',
    GroupName: 'GroupNames',
    Groups: 'UserIdGroupPairs',
    InternetGatewayId: 'InternetGatewayIds',
    ResourceId: 'Resources',
    SecurityGroupRuleId: 'SecurityGroupRuleIds',
    SubnetId: 'SubnetIds',
    Tag: 'Tags',
    TagSpecification: 'TagSpecifications',
    Value: 'Values',
    VpcId: 'VpcIds',
    ZoneName: 'ZoneNames',
  }),
);

/** Wire fields as the input of the SDK's command. Throws ValidationError, InvalidParameterValue. */
export function inputFromQuery(service: ServiceName, fields: QueryFields): Input {
  const { Action: _action, Version: _version, ...rest } = fields;
  return service === 'ec2' ? ec2Structure(rest) : structure(rest);
}

function structure(fields: QueryFields): Input {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, valueOf(field, value)]),
  );
}

function valueOf(field: string, value: QueryValue): unknown {
  if (value === '' && LIST_FIELDS.has(field)) return [];
  if (Array.isArray(value)) return value.map((entry) => valueOf(`${field} member`, entry));
  if (typeof value === 'object') {
    const { Port, ...rest } = value;
    // The port of a redirect may be a placeholder.
    if (field !== 'RedirectConfig' || Port === undefined) return structure(value);
    return { ...structure(rest), Port };
  }
  if (INTEGER_FIELDS.has(field)) return integer(field, value);
  return BOOLEAN_FIELDS.has(field) ? elbBoolean(field, value) : value;
}

function ec2Structure(fields: QueryFields): Input {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [ec2Name(field, value), ec2Value(field, value)]),
  );
}

function ec2Name(field: string, value: QueryValue): string {
  if (Array.isArray(value)) return EC2_LIST_NAMES.get(field) ?? field;
  return field === 'GroupDescription' ? 'Description' : field;
}

function ec2Value(field: string, value: QueryValue): unknown {
  if (Array.isArray(value)) return value.map((entry) => ec2Value(field, entry));
  if (typeof value === 'object') return ec2Structure(value);
  if (INTEGER_FIELDS.has(field)) return integer(field, value);
  return BOOLEAN_FIELDS.has(field) ? boolean(field, value) : value;
}

function integer(field: string, value: QueryValue): number {
  if (typeof value === 'string' && /^-?\d{1,9}$/.test(value)) return Number(value);
  throw validationError(`'${field}' must be an integer`);
}

function elbBoolean(field: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw validationError(`'${field}' must be a boolean`);
}

function boolean(field: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new AwsFault('InvalidParameterValue', `Value (${text}) for ${field} is not a boolean`);
}
