/** How one query protocol spells an output. */
export interface XmlSpelling {
  /** Element for a field of the SDK's output, which is one of a member of the list `owner`. */
  elementOf(field: string, owner: string): string;
  /** Element for a member of a list. */
  readonly member: string;
}

/** ELBv2 and STS: the SDK's own names, lists of `<member>`. */
export const QUERY_SPELLING: XmlSpelling = { elementOf: (field) => field, member: 'member' };

/** Where EC2's wire name is not the SDK's name with a small first letter. */
const EC2_NAMES: Readonly<Record<string, string>> = {
  Attachments: 'attachmentSet',
  AvailabilityZones: 'availabilityZoneInfo',
  InternetGateways: 'internetGatewaySet',
  Messages: 'messageSet',
  RevokedSecurityGroupRules: 'revokedSecurityGroupRuleSet',
  SecurityGroupRules: 'securityGroupRuleSet',
  SecurityGroups: 'securityGroupInfo',
  Subnets: 'subnetSet',
  Tags: 'tagSet',
  UserIdGroupPairs: 'groups',
  Vpcs: 'vpcSet',
};

/** EC2: small first letters, lists of `<item>`. */
export const EC2_SPELLING: XmlSpelling = {
  elementOf: (field, owner) => {
    if (field === 'Description' && owner === 'SecurityGroups') return 'groupDescription';
    return EC2_NAMES[field] ?? field.charAt(0).toLowerCase() + field.slice(1);
  },
  member: 'item',
};

/** EC2's DescribeAvailabilityZones alone spells State differently. */
export const EC2_ZONE_SPELLING: XmlSpelling = {
  elementOf: (field, owner) =>
    field === 'State' ? 'zoneState' : EC2_SPELLING.elementOf(field, owner),
  member: 'item',
};

/** The fields of an output as XML elements. Undefined fields are left out. */
export function writeFields(output: object, spelling: XmlSpelling, owner = ''): string {
  let xml = '';
  for (const [field, value] of Object.entries(output)) {
    if (value === undefined) continue;
    xml += element(spelling.elementOf(field, owner), writeContent(value, spelling, field));
  }
  return xml;
}

/** Text for use between tags, without the characters that XML 1.0 cannot hold. */
export function escapeXml(text: string): string {
  return /[&<>"'\r]|[^\t\n\x20-\uFFFD]/.test(text)
    ? text.replace(/[&<>"'\r]|[^\t\n\x20-\uFFFD]/g, (character) => ENTITIES[character] ?? '')
    : text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};

function element(name: string, content: string): string {
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

function writeContent(value: unknown, spelling: XmlSpelling, owner: string): string {
  if (typeof value === 'string') return escapeXml(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return value
      .map((entry) => element(spelling.member, writeContent(entry, spelling, owner)))
      .join('');
  }
  if (typeof value === 'object' && value !== null) return writeFields(value, spelling, owner);
  return String(value);
}
