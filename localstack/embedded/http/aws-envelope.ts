import { API_VERSIONS } from '../embedded-aws.ts';
import type { ServiceName } from '../operations.ts';
import type { AwsFault } from './aws-fault.ts';
import {
  EC2_SPELLING,
  EC2_ZONE_SPELLING,
  escapeXml,
  QUERY_SPELLING,
  writeFields,
} from './xml-writer.ts';

const NAMESPACES: Readonly<Record<ServiceName, string>> = {
  elasticloadbalancing: `http://elasticloadbalancing.amazonaws.com/doc/${API_VERSIONS.elasticloadbalancing}/`,
  ec2: `http://ec2.amazonaws.com/doc/${API_VERSIONS.ec2}/`,
  acm: '',
  iam: `https://iam.amazonaws.com/doc/${API_VERSIONS.iam}/`,
  sts: `https://sts.amazonaws.com/doc/${API_VERSIONS.sts}/`,
};

/** An answer's XML in the form of its service. */
export function successXml(
  service: ServiceName,
  operation: string,
  answer: { readonly output: object; readonly requestId: string },
): string {
  const { output, requestId } = answer;
  const head = `<${operation}Response xmlns="${NAMESPACES[service]}">`;
  const tail = `</${operation}Response>\n`;
  if (service === 'ec2') {
    return `${head}<requestId>${requestId}</requestId>${ec2Fields(operation, output)}${tail}`;
  }
  const result = writeFields(output, QUERY_SPELLING);
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  return `${head}<${operation}Result>${result}</${operation}Result>${metadata}${tail}`;
}

/** An error's XML in the form of its service. */
export function errorXml(service: ServiceName, fault: AwsFault, requestId: string): string {
  const code = `<Code>${escapeXml(fault.code)}</Code>`;
  const message = `<Message>${escapeXml(fault.message)}</Message>`;
  if (service === 'ec2') {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error>${code}${message}</Error></Errors><RequestID>${requestId}</RequestID></Response>`;
  }
  const type = fault.status >= 500 ? 'Receiver' : 'Sender';
  return `<ErrorResponse xmlns="${NAMESPACES[service]}"><Error><Type>${type}</Type>${code}${message}</Error><RequestId>${requestId}</RequestId></ErrorResponse>\n`;
}

function ec2Fields(operation: string, output: object): string {
  if (operation === 'DescribeAvailabilityZones') return writeFields(output, EC2_ZONE_SPELLING);
  const fields = writeFields(output, EC2_SPELLING);
  return fields === '' ? '<return>true</return>' : fields;
}
