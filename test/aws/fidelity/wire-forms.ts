import {
  COMMON_ACM_ERROR_CODES,
  COMMON_ERROR_CODES,
} from '../../../localstack/embedded/http/common-errors.ts';
import { childOf, parseXml, type XmlElement } from './xml-tree.ts';

export type Protocol = 'query' | 'ec2' | 'json';

/** One protocol's way to carry an answer. */
export interface WireForm {
  /** Throws for an answer to another operation. */
  outputOf(body: string, operation: string): XmlElement;
  /** An operation that the model gives no output says this. */
  readonly noOutput: string;
  codeOf(body: string): string;
  /** Codes that any operation may answer; none: the model declares no codes at all. */
  readonly commonCodes?: ReadonlySet<string>;
  /** Each type with its value. */
  readonly scalars: Readonly<Record<string, RegExp>>;
}

const XML_SCALARS: WireForm['scalars'] = {
  string: /^([^<]*)$/,
  integer: /^(-?\d+)$/,
  long: /^(-?\d+)$/,
  boolean: /^(true|false)$/,
  timestamp: /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/,
};

export const WIRE_FORMS: Readonly<Record<Protocol, WireForm>> = {
  query: {
    outputOf: (body, operation) => childOf(parseXml(body), `${operation}Result`),
    noOutput: '',
    codeOf: (body) => childOf(childOf(parseXml(body), 'Error'), 'Code').text,
    commonCodes: COMMON_ERROR_CODES,
    scalars: XML_SCALARS,
  },
  // EC2's model declares no error codes, so there is nothing to hold the codes of its answers to.
  ec2: {
    outputOf: (body, operation) => {
      const root = parseXml(body);
      if (root.name !== `${operation}Response`) throw new Error(`<${root.name}> for ${operation}`);
      const requestId = childOf(root, 'requestId');
      return { ...root, children: root.children.filter((child) => child !== requestId) };
    },
    // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html#API_CreateTags_ResponseElements
    noOutput: 'return=true',
    codeOf: (body) => {
      const errors = childOf(parseXml(body), 'Errors');
      return childOf(childOf(errors, 'Error'), 'Code').text;
    },
    scalars: XML_SCALARS,
  },
  json: {
    outputOf: (body) => elementOf('', body === '' ? {} : JSON.parse(body)),
    noOutput: '',
    codeOf: (body) => (JSON.parse(body) as { __type: string }).__type,
    commonCodes: COMMON_ACM_ERROR_CODES,
    scalars: {
      string: /^"(.*)"$/s,
      integer: XML_SCALARS['integer'] as RegExp,
      boolean: XML_SCALARS['boolean'] as RegExp,
      // Seconds: https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
      timestamp: /^(\d+(?:\.\d+)?)$/,
    },
  },
};

/** Arrays hold elements called `member`, as in the query protocol. Scalars are in the text, as in the JSON. */
function elementOf(name: string, value: unknown): XmlElement {
  if (typeof value !== 'object' || value === null) {
    return { name, children: [], text: JSON.stringify(value) };
  }
  const children = Array.isArray(value)
    ? value.map((entry) => elementOf('member', entry))
    : Object.entries(value).map(([field, part]) => elementOf(field, part));
  return { name, children, text: '' };
}
