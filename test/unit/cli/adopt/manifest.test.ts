import { describe, expect, it } from 'vitest';
import { composeManifest } from '../../../../src/cli/adopt/manifest.ts';
import { printAdoption } from '../../../../src/cli/adopt/print-adoption.ts';
import { parseYamlDocuments } from '../../../../src/kube/client/yaml.ts';
import { ARN, balancerOf } from './balancer.ts';

const ADOPTER = { cluster: 'blue', namespace: 'web', name: 'shop' };

function specOf(balancer: Parameters<typeof composeManifest>[0]): object {
  return (composeManifest(balancer, ADOPTER).manifest as { readonly spec: object }).spec;
}

describe('the manifest that adopts a balancer', () => {
  it('is the balancer as it is, and keeps it if the object is deleted', () => {
    expect(composeManifest(balancerOf(), ADOPTER)).toEqual({
      manifest: {
        apiVersion: 'demo.rtfm.co.ua/v1',
        kind: 'MyIngress',
        metadata: { namespace: 'web', name: 'shop' },
        spec: {
          adopt: { arn: ARN },
          deletionPolicy: 'Retain',
          scheme: 'internal',
          ipAddressType: 'ipv4',
          subnets: ['subnet-a', 'subnet-b'],
          securityGroups: ['sg-1'],
        },
      },
      remarks: [],
    });
  });

  it("has the attributes that differ from AWS's defaults and can be set", () => {
    const attributes = {
      'idle_timeout.timeout_seconds': '60',
      'deletion_protection.enabled': 'true',
      'access_logs.s3.enabled': 'true',
      'access_logs.s3.bucket': 'logs',
      'connection_logs.s3.bucket': '',
      'not.known.yet': 'x',
    };
    expect(specOf(balancerOf({ attributes }))).toHaveProperty('attributes', {
      'access_logs.s3.bucket': 'logs',
      'access_logs.s3.enabled': 'true',
      'deletion_protection.enabled': 'true',
      'not.known.yet': 'x',
    });
    const { 'idle_timeout.timeout_seconds': _, ...others } = attributes;
    expect(specOf(balancerOf({ attributes: others }))).toEqual(specOf(balancerOf({ attributes })));
  });

  it('has the tags, and names those that a spec may not have', () => {
    const many = Object.fromEntries(Array.from({ length: 41 }, (_, i) => [`t${100 + i}`, 'x']));
    const tags = { ...many, 'aws:cloudformation:stack-name': 's', 'albridge.io/adopt': 'web/shop' };
    const { remarks } = composeManifest(balancerOf({ tags }), ADOPTER);
    expect(remarks).toEqual([
      'the tags aws:cloudformation:stack-name, t140, which stay as they are',
    ]);
    expect(specOf(balancerOf({ tags: { team: 'web' } }))).toMatchObject({ tags: { team: 'web' } });
  });

  it('leaves out one subnet alone, which a spec cannot name', () => {
    const balancer = balancerOf({ loadBalancer: { subnets: ['subnet-a'], securityGroups: [] } });
    expect(Object.keys(specOf(balancer))).toEqual([
      ...['adopt', 'deletionPolicy', 'scheme', 'ipAddressType'],
    ]);
    expect(composeManifest(balancer, ADOPTER).remarks).toHaveLength(1);
  });
});

describe('the printed adoption', () => {
  it('is one YAML document, everything else being comments on one line each', () => {
    const adoption = composeManifest(balancerOf({ tags: { team: 'web' } }), ADOPTER);
    const text = printAdoption({
      ...{ adoption, arn: ARN, consent: { 'albridge.io/adopt': 'web/shop' } },
      ...{ listenerArns: ['arn:listener'], warnings: ['a tag\n of another\u001b[2J'] },
      traffic: { spec: { listeners: [{ port: 80, protocol: 'HTTP' }] }, remarks: ['rule 1'] },
    });
    expect(parseYamlDocuments(text)).toEqual([adoption.manifest]);
    expect(text).toContain('# Warning: a tag\\u000a of another\\u001b[2J.\n');
    expect(text).toContain(
      `# aws elbv2 add-tags --resource-arns ${ARN} --tags Key=albridge.io/adopt,Value=web/shop\n`,
    );
    expect(text).toContain('# aws elbv2 add-tags --resource-arns arn:listener --tags');
    expect(text).toContain('# spec:\n#   listeners:\n#     - port: 80\n');
    expect(text).toContain('# A spec cannot express:\n#   rule 1\n');
  });
});
