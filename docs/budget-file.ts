import { AWS_LIMITS, DEFAULT_LIMITS } from '../src/aws/budget/budget-limits.ts';
import type { BucketLimits } from '../src/aws/budget/token-bucket.ts';
import type { BucketName } from '../src/aws/client/operation-traits.ts';

const CALLS: Readonly<Record<BucketName, string>> = {
  account: 'every call of Elastic Load Balancing, besides its own bucket',
  reads: 'reads of Elastic Load Balancing',
  writes: 'writes of Elastic Load Balancing',
  intensive: 'creation of a load balancer, and a change of its subnets',
  registrations: 'registration and deregistration of targets',
  ec2Reads: 'reads of EC2',
  ec2Writes: 'writes of EC2',
  acmReads: 'reads of Certificate Manager',
};

const BY_KUSTOMIZE = `\`\`\`yaml
configMapGenerator:
  - name: albridge-budget
    namespace: albridge-system
    files: [budget.json]
patches:
  - patch: |-
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: albridge
        namespace: albridge-system
      spec:
        template:
          spec:
            volumes:
              - name: budget
                configMap: { name: albridge-budget }
            containers:
              - name: operator
                volumeMounts:
                  - { name: budget, mountPath: /etc/albridge }
\`\`\`
`;

const BY_HELM = `\`\`\`yaml
settings:
  ALBRIDGE_AWS_BUDGET: /etc/albridge/budget.json
volumes:
  - name: budget
    configMap: { name: albridge-budget }
volumeMounts:
  - { name: budget, mountPath: /etc/albridge }
\`\`\`
`;

/** The section of docs/configuration.md about the file that ALBRIDGE_AWS_BUDGET may name. */
export function budgetFileSection(): string {
  return `
## Budget file

Where AWS has raised the limits of your account, or others there need more of them, \`ALBRIDGE_AWS_BUDGET\` names a JSON file
with the limits of albridge. Each is a token bucket: \`burst\` calls at once, then \`perSecond\`. A bucket that the file leaves
out keeps its default. Without the file albridge keeps to 80 % of what AWS documents
(\`ec2Writes\` and the burst of \`acmReads\` are unverified):

| bucket | calls ([which](aws-operations.md)) | AWS: burst, per second | default: burst, per second |
| --- | --- | --- | --- |
${(Object.keys(CALLS) as BucketName[]).map(writeRow).join('')}
In the file are the limits of albridge, so leave a part of those of the account to others. This one is for an account with
twice the reads and writes:

\`\`\`json
{
  "account": { "burst": 64, "perSecond": 16 },
  "reads": { "burst": 64, "perSecond": 16 },
  "writes": { "burst": 32, "perSecond": 4.8 }
}
\`\`\`

A bucket has both numbers; what is wrong is named at the start, with exit code 78. Save the file as \`budget.json\` next to
the \`kustomization.yaml\` of your \`my-cluster\` ([install.md](install.md)), add the line
\`- ALBRIDGE_AWS_BUDGET=/etc/albridge/budget.json\` to the literals of \`albridge-settings\`, and these to its lists:

${BY_KUSTOMIZE}
The name of the generated ConfigMap changes with the file, so the pods restart. With Helm create the ConfigMap first
(\`kubectl -n albridge-system create configmap albridge-budget --from-file=budget.json\`). After a change of it restart the
pods (\`kubectl -n albridge-system rollout restart deployment/albridge\`). The values are:

${BY_HELM}`;
}

function writeRow(name: BucketName): string {
  const write = ({ burst, perSecond }: BucketLimits): string => `${burst}, ${perSecond}`;
  const limits = [AWS_LIMITS[name], DEFAULT_LIMITS[name]].map(write).join(' | ');
  return `| \`${name}\` | ${CALLS[name]} | ${limits} |\n`;
}
