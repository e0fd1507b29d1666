/** How one query protocol spells an output. */
export interface XmlSpelling {
  /** Element for a field of the SDK's output. */
  elementOf(field: string): string;
  /** Element for a member of a list. */
  readonly member: string;
}

/** ELBv2 and STS: the SDK's own names, lists of `<member>`. */
export const QUERY_SPELLING: XmlSpelling = { elementOf: (field) => field, member: 'member' };

/** Where EC2's wire name is not the SDK's name with a small first letter. */
const EC2_NAMES: Readonly<Record<string, string>> = {
  Attachments: 'attachmentSet',
  AvailabilityZones: 'availabilityZoneInfo',
  Description: 'groupDescription',
  InternetGateways: 'internetGatewaySet',
  Messages: 'messageSet',
  SecurityGroups: 'securityGroupInfo',
  Subnets: 'subnetSet',
  Tags: 'tagSet',
  Vpcs: 'vpcSet',
};

/** EC2: small first letters, lists of `<item>`. */
export const EC2_SPELLING: XmlSpelling = {
  elementOf: (field) => EC2_NAMES[field] ?? field.charAt(0).toLowerCase() + field.slice(1),
  member: 'item',
};

/** EC2's DescribeAvailabilityZones alone spells State differently. */
export const EC2_ZONE_SPELLING: XmlSpelling = {
  elementOf: (field) => (field === 'State' ? 'zoneState' : EC2_SPELLING.elementOf(field)),
  member: 'item',
};

/** The fields of an output as XML elements. Undefined fields are left out. */
export function writeFields(output: object, spelling: XmlSpelling): string {
  let xml = '';
  for (const [field, value] of Object.entries(output)) {
    if (value !== undefined) xml += writeElement(spelling.elementOf(field), value, spelling);
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

function writeElement(element: string, value: unknown, spelling: XmlSpelling): string {
  const content = writeContent(value, spelling);
  return content === '' ? `<${element}/>` : `<${element}>${content}</${element}>`;
}

function writeContent(value: unknown, spelling: XmlSpelling): string {
  if (typeof value === 'string') return escapeXml(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return value.map((entry) => writeElement(spelling.member, entry, spelling)).join('');
  }
  if (typeof value === 'object' && value !== null) return writeFields(value, spelling);
  return String(value);
}
