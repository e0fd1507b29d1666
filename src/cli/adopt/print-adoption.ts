import { dumpYaml } from '../../kube/client/yaml.ts';
import { escapeDocument, escapeText } from '../output/escape.ts';
import { composeTagCommand } from './consent.ts';
import type { Adoption } from './manifest.ts';
import type { Suggestion } from './suggest-traffic.ts';

export interface Printed {
  readonly arn: string;
  /** By which the owner agrees. */
  readonly consent: Readonly<Record<string, string>>;
  readonly adoption: Adoption;
  readonly listenerArns: readonly string[];
  readonly traffic: Suggestion;
  /** Sentences that come first. */
  readonly warnings: readonly string[];
}

/** One YAML file: the manifest, and everything else as comments. Pure. */
export function printAdoption(printed: Printed): string {
  const { adoption, arn, consent, listenerArns, warnings } = printed;
  const head = [
    ...warnings.map((warning) => `Warning: ${warning}.`),
    'Adopts the load balancer as it is. First set the two tags by which its owner agrees:',
    ...Object.entries(consent).map(([key, value]) => `  ${key}=${value}`),
    composeTagCommand([arn], consent),
    'then apply this file. deletionPolicy Retain keeps the load balancer if the object is deleted.',
    ...listRemarks('The manifest leaves out:', adoption.remarks),
  ];
  const tail = listenerArns.length === 0 ? '' : comment(describeTraffic(printed));
  return `${comment(head)}${dumpYaml(adoption.manifest, escapeDocument)}${tail}`;
}

function describeTraffic({ consent, listenerArns, traffic }: Printed): readonly string[] {
  return [
    'Listeners, rules and target groups stay with their owner. To hand over the listeners too, set the same tags on',
    'them, and move the lines below into the spec. albridge then creates target groups of its own, and forwards to',
    'them; which Service a target group stands for AWS does not know, so correct each service.',
    composeTagCommand(listenerArns, consent),
    ...listRemarks('A spec cannot express:', traffic.remarks),
    ...dumpYaml({ spec: traffic.spec }, escapeDocument).trimEnd().split('\n'),
  ];
}

function listRemarks(title: string, remarks: readonly string[]): readonly string[] {
  return remarks.length === 0 ? [] : [title, ...remarks.map((remark) => `  ${remark}`)];
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => `# ${escapeText(line)}\n`).join('');
}
